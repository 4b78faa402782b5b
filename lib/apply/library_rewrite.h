// Turns a draft into a library's new bytes, in memory. Nothing is written here.
#pragma once

#include "apply/apply.h"
#include "apply/package_files.h"

namespace tcfix::apply {

/// Sets the planned edits, the change and the outcome of `work`.
llvm::Error rewriteLibrary(LibraryWork& work, const plan::Draft& draft,
                           const ApplyOptions& options);

/// Copies the reasons of planned edits to the changes that they caused.
void explain(std::vector<Change>& changes, llvm::ArrayRef<plan::PlannedEdit> edits);

/// What the journal records about the original for the plan of the next run.
AppliedPlan rememberPlan(const plan::Draft& draft, const Image& changed, const std::string& arch);

} // namespace tcfix::apply
