// Undo: the original bytes and times back, verified by hash.
#pragma once

#include "apply/journal.h"

namespace tcfix::apply {

struct UndoRun {
  std::vector<std::string> restored;
  std::vector<std::string> skipped; ///< already as they were
  std::vector<Problem> problems;
};

/// Takes back what an `edit --journal` did. A file that someone changed since is refused and named;
/// the others go on.
llvm::Expected<UndoRun> undoJournal(llvm::StringRef path, io::Notify notify);

/// Takes back all that apply did in a target, RECORD included; if the target is one file, only
/// that. A file that someone changed since is refused and named; the others go on.
llvm::Expected<UndoRun> undoTarget(const std::string& target, const std::string& sysroot,
                                   io::Notify notify);

} // namespace tcfix::apply
