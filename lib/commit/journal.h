// The journal: for each change the way back, and the hashes that tell whether it still applies.
//
// A journal is one JSON document. Entries are in the order in which they were made; undo takes
// them back from the last to the first.
#pragma once

#include "base/error.h"
#include "io/file.h"
#include "io/system.h"
#include "patch/rewrite.h"
#include "tcfix/image.h"

namespace tcfix::commit {

/// What apply wants to know of a library at its next run, without making the original again.
struct AppliedPlan {
  std::string wishes;  ///< the edits as text: the same text again means that nothing is to do
  io::FileStamp stamp; ///< of the changed file
  /// The original's own, in the order of the changed file's dependencies; dropped ones at the end.
  std::vector<Dependency> dependencies;
  std::vector<std::string> searchPaths;
  std::optional<SearchPathKind> searchPathKind;
};

struct JournalEntry {
  std::string path; ///< absolute, or relative to the folder that the journal speaks of
  std::string sha256Before;
  std::string sha256After;
  int64_t modifiedNs = 0;          ///< of the original
  Rewrite reverse;                 ///< turns the changed file back into the original
  std::string link;                ///< what the original said, if it was a symbolic link
  std::optional<AppliedPlan> plan; ///< only of edits that apply made
};

struct Journal {
  std::vector<JournalEntry> entries; ///< in the order in which they were made
};

/// What the text of a journal says.
llvm::Expected<Journal> parseJournal(llvm::StringRef text);

/// A journal as it lies on the disk.
struct JournalFile {
  std::unique_ptr<io::InputFile> input; ///< null if there is no file yet
  Journal journal;
};
/// A file that does not exist is an empty journal.
llvm::Expected<JournalFile> openJournal(const std::string& path);

/// What a journal says. A file that does not exist is NotFound.
llvm::Expected<Journal> readJournal(llvm::StringRef path);

/// The entries for `path` that lead from the original to the bytes with this hash, the oldest
/// first. None if the journal does not know those bytes, or if they are the original.
std::vector<JournalEntry> historyOf(const Journal& journal, llvm::StringRef path,
                                    llvm::StringRef sha256);

/// The journal as the text of a file; refused if that were too large to be read again.
llvm::Expected<std::string> journalText(const Journal& journal);

/// True when both make the same text.
bool isSame(const Journal& a, const Journal& b);

} // namespace tcfix::commit
