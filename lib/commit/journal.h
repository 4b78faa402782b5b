// The journal: for each change, how to undo it, and hashes that show whether that is still
// possible.
//
// A journal is one JSON document. Entries are in the order in which they were made; undo reverts
// them from the last to the first.
#pragma once

#include "base/error.h"
#include "io/system.h"
#include "io/target_disk.h"
#include "patch/rewrite.h"
#include "tcfix/image.h"

namespace tcfix::commit {

/// What the next run of apply needs to know about a library, so that it need not restore the
/// original.
struct AppliedPlan {
  std::string editsText; ///< the edits as text: if it is the same again, there is nothing to do
  io::FileStamp stamp;   ///< of the changed file
  /// Those of the original, in the order of the changed file's dependencies; dropped ones at the
  /// end.
  std::vector<Dependency> dependencies;
  std::vector<std::string> searchPaths;
  std::optional<SearchPathKind> searchPathKind;
};

struct JournalEntry {
  std::string path; ///< absolute, or relative to the journal's root directory
  std::string sha256Before;
  std::string sha256After;
  int64_t modifiedNs = 0;          ///< of the original
  Rewrite reverse;                 ///< turns the changed file back into the original
  std::string link;                ///< the original's target, if it was a symbolic link
  std::optional<AppliedPlan> plan; ///< only for edits made by apply
};

/// How many more bytes than the changed file and the patches have an original may have: those are
/// zeros, which patches leave out. Limits what a journal from an untrusted source can allocate.
constexpr uint64_t kMaxZeros = uint64_t(256) << 20;

struct Journal {
  std::vector<JournalEntry> entries; ///< in the order in which they were made
};

/// Parses the text of a journal.
llvm::Expected<Journal> parseJournal(llvm::StringRef text);

/// A journal and its file.
struct JournalFile {
  std::unique_ptr<io::InputFile> input; ///< null if there is no file yet
  Journal journal;
};
/// Opens a journal; a file that does not exist is an empty one. `disk` may know its real path.
llvm::Expected<JournalFile> openJournal(const std::string& path,
                                        const io::TargetDisk* disk = nullptr);

/// Reads a journal; a file that does not exist is NotFound.
llvm::Expected<Journal> readJournal(llvm::StringRef path);

/// The entries for `path` that lead from the original to the bytes with this hash, the oldest
/// first. None if the journal has no such hash, or if it is the original's.
std::vector<JournalEntry> historyOf(const Journal& journal, llvm::StringRef path,
                                    llvm::StringRef sha256);

/// The journal as the text of a file; refused if that were too large to be read again.
llvm::Expected<std::string> journalText(const Journal& journal);

/// True if both have the same text.
bool isSame(const Journal& a, const Journal& b);

} // namespace tcfix::commit
