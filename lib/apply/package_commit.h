// Writing what was planned for a package: libraries, journal and RECORD, together or not at all.
#pragma once

#include "apply/package_files.h"
#include "commit/transaction.h"

namespace tcfix::apply {

using commit::Step;

/// A package's journal as it is.
struct PackageState {
  JournalPlace place;
  std::unique_ptr<io::InputFile> journalFile; ///< none if there is no journal yet
  Journal journal;                            ///< with what a stray one says
};
/// Refuses a journal that names anything but libraries of its package.
llvm::Expected<PackageState> readState(JournalPlace place);

/// A library's new file, staged, and its history as the journal shall tell it.
struct StagedLibrary {
  LibraryWork* work = nullptr;
  std::optional<Step> step;
  std::vector<JournalEntry> history; ///< empty: it is the installer's own again
};

/// How a package is written.
struct CommitContext {
  const commit::Locks& locks;
  const io::TargetDisk& disk;
  std::vector<Problem>& warnings; ///< what could not follow
};

/// Commits the libraries; the journal will hold `kept` and their histories, and RECORD follow.
/// Writes nothing where nothing differs.
std::optional<commit::CommitFailure> commitLibraries(const PackageState& state,
                                                     std::vector<StagedLibrary>& staged,
                                                     std::vector<JournalEntry> kept,
                                                     const CommitContext& context);

/// All paths that a run for a package writes to, besides its libraries and its journal.
std::vector<std::string> listsOf(const JournalPlace& place);

/// True for entries about libraries, false for those about RECORD and the like.
bool isLibraryEntry(const JournalEntry& entry, const JournalPlace& place);

} // namespace tcfix::apply
