// Turns a draft into a library's new bytes, in memory. Nothing is written here.
#pragma once

#include "apply/apply.h"
#include "apply/package_files.h"

namespace tcfix::apply {

/// True if the file is what these edits made of it, and was not changed since. Sets the planned
/// edits as a string and, if true, the hashes.
bool isUpToDate(LibraryWork& work, const plan::Draft& draft, const ApplyOptions& options);

/// Sets the change and the outcome of a `work` that is not up to date.
llvm::Error rewriteLibrary(LibraryWork& work, const plan::Draft& draft,
                           const ApplyOptions& options);

/// Copies the reasons of planned edits to the changes that they caused.
void explain(std::vector<Change>& changes, llvm::ArrayRef<plan::PlannedEdit> edits);

/// What the journal records about the original for the plan of the next run.
AppliedPlan rememberPlan(const plan::Draft& draft, const Image& changed, const std::string& arch);

} // namespace tcfix::apply
