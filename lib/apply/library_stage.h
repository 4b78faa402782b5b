// Staging a library: its new file on the disk, beside the old one, and its entries in the journal.
#pragma once

#include "apply/library_rewrite.h"
#include "apply/package_commit.h"

namespace tcfix::apply {

struct StageContext {
  const JournalPlace& place;
  const ApplyOptions& options;
  std::string arch; ///< the slice that the plan was made for
  const io::TargetDisk& disk;
  const commit::Locks& locks;
};

/// Stages what rewriteLibrary() wants. The library must not be as wanted already.
llvm::Expected<StagedLibrary> stageLibrary(LibraryWork& work, const plan::Draft& draft,
                                           const StageContext& context);

/// Stages the installer's own file again, whatever was done to it.
llvm::Expected<StagedLibrary> stageOriginal(LibraryWork& work, const io::TargetDisk& disk,
                                            const commit::Locks& locks);

} // namespace tcfix::apply
