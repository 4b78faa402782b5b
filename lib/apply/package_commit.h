// Writing what was planned for a package: libraries, journal and RECORD, together or not at all.
#pragma once

#include "apply/library_rewrite.h"

namespace tcfix::apply {

struct PackageChange {
  const JournalPlace& place;
  const Journal& journal;          ///< as it is
  const io::InputFile* journalFile; ///< null if there is none yet
  llvm::ArrayRef<std::unique_ptr<LibraryWork>> works;
  /// The draft of each work, null for one that failed.
  llvm::ArrayRef<const plan::Draft*> drafts;
  const ApplyOptions& options;
  std::string arch;
};

/// Warnings are sentences about what could not follow, such as a malformed RECORD.
llvm::Error commitPackage(const PackageChange& change, std::vector<Problem>& warnings);

} // namespace tcfix::apply
