// The journal: for each change the way back, and the hashes that tell whether it still applies.
//
// A journal is one JSON document. Entries are in the order in which they were made; undo takes
// them back from the last to the first.
#pragma once

#include "base/error.h"
#include "io/system.h"
#include "patch/rewrite.h"

namespace tcfix::apply {

struct JournalEntry {
  std::string path; ///< absolute
  std::string sha256Before;
  std::string sha256After;
  int64_t modifiedNs = 0; ///< of the original
  Rewrite reverse;        ///< turns the changed file back into the original
};

/// The entries of a journal. A file that does not exist is NotFound.
llvm::Expected<std::vector<JournalEntry>> readJournal(llvm::StringRef path);

/// Writes a journal that holds exactly these entries, safely.
llvm::Error writeJournal(llvm::StringRef path, llvm::ArrayRef<JournalEntry> entries);

struct UndoRun {
  std::vector<std::string> restored;
  std::vector<std::string> skipped; ///< already as they were
  std::vector<Problem> problems;
};

/// Puts the original bytes and times back, verified by hash. A file that someone changed since is
/// refused and named; the others go on.
llvm::Expected<UndoRun> undoJournal(llvm::StringRef path, io::Notify notify);

} // namespace tcfix::apply
