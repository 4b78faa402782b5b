// Undo: the original bytes and times back, verified by hash.
#pragma once

#include "base/error.h"
#include "io/system.h"

namespace tcfix::apply {

struct UndoRun {
  std::vector<std::string> restored;
  std::vector<std::string> skipped; ///< already as they were
  std::vector<Problem> problems;
  std::vector<Problem> warnings;
};

/// Takes back what an `edit --journal` did. A file that someone changed since is refused and named;
/// the others are restored together, or none of them.
llvm::Expected<UndoRun> undoJournal(const std::string& path, io::Notify notify);

/// Takes back all that apply did in a target, RECORD included; if the target is one file, only
/// that. A file that someone changed since is refused and named; the others of its package are
/// restored together, or none of them.
llvm::Expected<UndoRun> undoTarget(const std::string& target, const std::string& sysroot,
                                   io::Notify notify);

} // namespace tcfix::apply
