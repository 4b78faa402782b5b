// Writes what was planned for a package: libraries, journal and RECORD, all or nothing.
#pragma once

#include "apply/package_files.h"
#include "commit/transaction.h"

namespace tcfix::apply {

using commit::Step;

/// A package's journal on disk.
struct PackageState {
  JournalPlace place;
  std::unique_ptr<io::InputFile> journalFile; ///< none if there is no journal yet
  std::unique_ptr<io::InputFile> strayFile;   ///< the same for a stray one
  Journal journal;                            ///< including the entries of a stray one
};
/// Fails if the journal names a file that is not a library of its package.
llvm::Expected<PackageState> readState(JournalPlace place, const io::TargetDisk* disk = nullptr);

/// Refuses a journal whose owner could not write to the directories of these files.
llvm::Error checkAuthors(const PackageState& state, const commit::Locks& locks,
                         llvm::ArrayRef<std::string> written);

/// A library's staged new file, and the history that the journal will contain.
struct StagedLibrary {
  LibraryWork* work = nullptr;
  std::optional<Step> step;
  std::vector<JournalEntry> history; ///< empty: it is the installer's file again
};

/// How a package is written.
struct CommitContext {
  const commit::Locks& locks;
  const io::TargetDisk& disk;
  std::vector<Problem>& warnings; ///< lists that could not be updated
};

/// Commits the libraries. Afterwards the journal contains `kept` and their histories, and RECORD
/// matches. Writes nothing if nothing differs.
std::optional<commit::CommitFailure> commitLibraries(const PackageState& state,
                                                     std::vector<StagedLibrary>& staged,
                                                     std::vector<JournalEntry> kept,
                                                     const CommitContext& context);

/// All paths that a run for a package writes, besides its libraries and its journal.
std::vector<std::string> listsOf(const JournalPlace& place);

/// True for entries about libraries, false for entries about RECORD and conda's list.
bool isLibraryEntry(const JournalEntry& entry, const JournalPlace& place);

} // namespace tcfix::apply
