// Undo: restores the original bytes and times, verified by hash.
#pragma once

#include "base/error.h"
#include "io/system.h"

namespace tcfix::apply {

struct UndoRun {
  std::vector<std::string> restored;
  std::vector<std::string> skipped; ///< already original
  std::vector<Problem> problems;
  std::vector<Problem> warnings;
};

/// Undoes an `edit --journal`. A file that was changed by another program since is refused and
/// reported; the others are restored together, or none of them.
llvm::Expected<UndoRun> undoJournal(const std::string& path, io::Notify notify);

/// Undoes everything that apply did in a target, including RECORD; if the target is a file, only
/// that file. A file that was changed by another program since is refused and reported; the others
/// of its package are restored together, or none of them.
llvm::Expected<UndoRun> undoTarget(const std::string& target, const std::string& sysroot,
                                   io::Notify notify);

} // namespace tcfix::apply
