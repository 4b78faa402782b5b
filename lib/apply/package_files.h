// The files of a package that apply works on: the current content, the original content, and the
// planned content.
#pragma once

#include "apply/edit_files.h"
#include "commit/journal.h"
#include "commit/locks.h"
#include "env/package.h"

#include <memory>

namespace tcfix::apply {

using commit::AppliedPlan;
using commit::Journal;
using commit::JournalEntry;

/// Where a package's journal is, and which directory its paths are relative to.
struct JournalPlace {
  std::string path;
  std::string base;      ///< host path of a directory
  std::string record;    ///< host path of the RECORD that lists the journal; empty: none
  std::string condaMeta; ///< the same for conda's list
  std::string folder;    ///< the package's directory, relative to `base`; empty outside a site
  /// A journal that was written into the package's directory while there was no .dist-info. The
  /// next run merges it. Empty if there is none.
  std::string stray;
};
JournalPlace journalOf(const env::Package& package);

/// The directory of the journal of a package without .dist-info, inside the package's directory.
constexpr llvm::StringLiteral kJournalFolder = ".tcfix";

/// Where a run for a package may write: its environment, or the site that it inherits.
commit::Bounds boundsOf(const JournalPlace& place, const env::Environment& environment,
                        const io::TargetDisk& disk);

/// `path` as it is written in the journal of `place`.
std::string relativeTo(const JournalPlace& place, const std::string& path);

/// The state of one library during a run.
struct LibraryWork {
  std::string path; ///< host path; may be a symbolic link
  FileOutcome outcome;
  std::shared_ptr<const io::InputFile> input; ///< the current file
  /// The journal's entries that lead from the original to the current bytes, oldest first: a
  /// replacement, edits, both, or neither.
  std::vector<JournalEntry> history;
  std::unique_ptr<io::InputFile> replacement; ///< a rebuilt library that will replace it
  ByteVector madeBase;                        ///< what the plan starts from, if it is not a file
  std::string editsText;                      ///< the planned edits as a string
  Rewrite change;                             ///< from the current bytes to the planned ones

  bool isOpen() const { return !outcome.problem; }
  void fail(Problem problem) { outcome.fail(std::move(problem)); }
  /// The edits that apply made, as recorded in the journal; null if there are none.
  const JournalEntry* edits() const {
    return !history.empty() && history.back().plan ? &history.back() : nullptr;
  }
  /// The bytes that a plan starts from: without tcfix's edits, but including a replacement.
  Bytes base();
  /// True if the file has not been modified since those edits.
  bool isAsLeft() const { return edits() && edits()->plan->stamp == input->stamp(); }
  /// True if the plan starts from the current bytes.
  bool isPristine() const { return !replacement && !edits(); }
};

/// Finds the history of a library in the journal's entries for its path. A file that was put there
/// by another program has none. Fails only if interrupted; so do the functions below.
llvm::Error findHistory(LibraryWork& work, const Journal& journal, const std::string& relative);

/// True if a file without history has the bytes that the journal's first entry started from.
llvm::Expected<bool> isOriginal(const LibraryWork& work, const Journal& journal,
                                const std::string& relative);

/// The journal entries to keep for a library that is not changed: its history, or, if another
/// program has changed it since, all earlier entries, so that undo can report it.
llvm::Expected<std::vector<JournalEntry>>
keptEntries(const LibraryWork& work, const Journal& journal, const std::string& relative);

/// The original's hash, size and modification time, reconstructed from the history.
struct OriginalFile {
  ByteVector made; ///< empty if the current bytes are the original
  Bytes bytes;
  int64_t modifiedNs = 0;
  std::string link; ///< the original's target, if it was a symbolic link
};
OriginalFile originalOf(const LibraryWork& work);

/// Whether a link that used to be at `path` still refers to the same bytes; otherwise it is not
/// restored.
bool leadsTo(const std::string& path, const std::string& link, Bytes bytes,
             const io::TargetDisk& disk);

} // namespace tcfix::apply
