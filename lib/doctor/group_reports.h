// How a package's groups load, as they are and after `tcfix apply`.
#pragma once

#include "doctor/rules.h"

namespace tcfix::doctor {

/// The package's groups, with every failure explained.
std::vector<GroupReport> reportGroups(const plan::PackageFacts& facts,
                                      resolve::LibraryStore& store);

/// Whether enough loads: one major and all that are required, or, without majors, everything. What
/// cannot be known counts as loading.
bool loadsNow(llvm::ArrayRef<GroupReport> groups, llvm::ArrayRef<int> required);

/// The same after the plan was applied; here what cannot be known does not count.
bool loadsAfter(const plan::PackagePlan& planned, llvm::ArrayRef<int> required,
                llvm::StringRef arch, resolve::LibraryStore& store);

} // namespace tcfix::doctor
