// The files of a package that apply works on: what each is now, what it was before tcfix touched
// it, and what it shall be.
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

/// Where a package's journal is, and what its paths are relative to.
struct JournalPlace {
  std::string path;
  std::string base;      ///< host path of a folder
  std::string record;    ///< host path of the RECORD that lists it; empty if there is none
  std::string condaMeta; ///< the same of conda's list
  std::string folder;    ///< the package's own, relative to `base`; empty outside a site
  /// A journal that was written into the package's folder while there was no .dist-info; the next
  /// run takes it over. Empty if there is none.
  std::string stray;
};
JournalPlace journalOf(const env::Package& package);

/// The folder of the journal of a package without .dist-info, in the package's own.
constexpr llvm::StringLiteral kJournalFolder = ".tcfix";

/// Where a run for a package may write: in its environment, or in the site that it borrows from.
commit::Bounds boundsOf(const JournalPlace& place, const env::Environment& environment,
                        const io::TargetDisk& disk);

/// `path` as the journal of `place` writes it.
std::string relativeTo(const JournalPlace& place, const std::string& path);

/// One library on its way.
struct LibraryWork {
  std::string path; ///< host path; may be a symbolic link
  FileOutcome outcome;
  std::unique_ptr<io::InputFile> input; ///< the file as it is now
  /// The journal's entries that lead from the original to the present bytes, the oldest first: a
  /// replacement, edits, both, or none.
  std::vector<JournalEntry> history;
  std::unique_ptr<io::InputFile> replacement; ///< a rebuilt library that shall take its place
  ByteVector madeBase;                        ///< what the plan starts from, if that had to be made
  std::string wishes;                         ///< the planned edits, as text
  Rewrite change;                             ///< from the present bytes to the wanted ones

  bool isOpen() const { return !outcome.problem; }
  void fail(Problem problem) { outcome.fail(std::move(problem)); }
  /// The edits that apply made, as the journal knows them; null if there are none.
  const JournalEntry* edits() const {
    return !history.empty() && history.back().plan ? &history.back() : nullptr;
  }
  /// The bytes that a plan starts from: without edits of ours, but rebuilt if they were.
  Bytes base();
  /// True when the file has not been touched since those edits.
  bool isAsLeft() const { return edits() && edits()->plan->stamp == input->stamp(); }
  /// True when the plan starts from the present bytes.
  bool isPristine() const { return !replacement && !edits(); }
};

/// Finds the history of a library in the journal's entries for its path. What someone else put
/// there has none. An error if the user wants to stop meanwhile, as for the others.
llvm::Error findHistory(LibraryWork& work, const Journal& journal, const std::string& relative);

/// True when a file without history has the bytes that the journal's first entry started from.
llvm::Expected<bool> isOriginal(const LibraryWork& work, const Journal& journal,
                                const std::string& relative);

/// What the journal still has to know of a library that stays as it is: its history, or, if someone
/// else changed it since, all that was done before, so that undo can tell.
llvm::Expected<std::vector<JournalEntry>>
keptEntries(const LibraryWork& work, const Journal& journal, const std::string& relative);

/// The original's hash, size and time of change, through all of the history.
struct OriginalFile {
  ByteVector made; ///< empty if the present bytes are the original
  Bytes bytes;
  int64_t modifiedNs = 0;
  std::string link; ///< what the original said, if it was a symbolic link
};
OriginalFile originalOf(const LibraryWork& work);

/// Whether a link that once stood at `path` still leads to the same bytes; only then it is put
/// back.
bool leadsTo(const std::string& path, const std::string& link, Bytes bytes,
             const io::TargetDisk& disk);

} // namespace tcfix::apply
