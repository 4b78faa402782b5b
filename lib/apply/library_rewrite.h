// What a draft makes of a library's bytes. In memory; nothing is written here.
#pragma once

#include "apply/apply.h"
#include "apply/package_files.h"

namespace tcfix::apply {

/// Fills in the work's wishes, change and outcome.
llvm::Error rewriteLibrary(LibraryWork& work, const plan::Draft& draft,
                           const ApplyOptions& options);

/// Gives changes the reasons of the wishes that they come from.
void explain(std::vector<Change>& changes, llvm::ArrayRef<plan::PlannedEdit> wishes);

/// What the journal remembers of the original for the next run's plan.
AppliedPlan rememberPlan(const plan::Draft& draft, const Image& changed, const std::string& arch);

} // namespace tcfix::apply
