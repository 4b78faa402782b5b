// Stages a library: its new file on disk beside the old one, and its journal entries.
#pragma once

#include "apply/library_rewrite.h"
#include "apply/package_commit.h"

namespace tcfix::apply {

struct StageContext {
  const JournalPlace& place;
  const ApplyOptions& options;
  std::string arch; ///< the slice that was planned
  const io::TargetDisk& disk;
  const commit::Locks& locks;
};

/// Stages the result of rewriteLibrary(), which must differ from the current file.
llvm::Expected<StagedLibrary> stageLibrary(LibraryWork& work, const plan::Draft& draft,
                                           const StageContext& context);

/// Stages the installer's original file, independent of what was done to it.
llvm::Expected<StagedLibrary> stageOriginal(LibraryWork& work, const io::TargetDisk& disk,
                                            const commit::Locks& locks);

} // namespace tcfix::apply
