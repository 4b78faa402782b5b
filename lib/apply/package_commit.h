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
  Journal journal;
};
llvm::Expected<PackageState> readState(JournalPlace place);

/// A library's new file, staged, and its history as the journal shall tell it.
struct StagedLibrary {
  LibraryWork* work = nullptr;
  std::optional<Step> step;
  std::vector<JournalEntry> history; ///< empty: it is the installer's own again
};

/// Commits the libraries; the journal will hold `kept` and their histories, and RECORD follow.
/// Writes nothing where nothing differs. Warnings tell what could not follow.
llvm::Error commitLibraries(const PackageState& state, std::vector<StagedLibrary>& staged,
                            std::vector<JournalEntry> kept, std::vector<Problem>& warnings);

/// True for entries about libraries, false for those about RECORD and the like.
bool isLibraryEntry(const JournalEntry& entry, const JournalPlace& place);

} // namespace tcfix::apply
