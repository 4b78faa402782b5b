// How a package's groups load, as they are and after `tcfix apply`.
#pragma once

#include "doctor/rules.h"
#include "resolve/explain.h"

namespace tcfix::doctor {

/// How the failures of a package's libraries are explained.
resolve::ExplainOptions explainOptionsFor(const survey::PackageFacts& facts);

/// One report for each group, with every failure explained, as in a python started here.
std::vector<GroupReport> reportGroups(const survey::PackageFacts& facts,
                                      llvm::ArrayRef<survey::Group> groups,
                                      resolve::LibraryStore& store);

/// Majors as they are; the libraries that are needed whatever the major belong together.
std::vector<GroupReport> arrange(llvm::ArrayRef<survey::Group> groups,
                                 std::vector<GroupReport> reports);

/// Whether enough loads. What cannot be known counts as loading.
bool loadsNow(llvm::ArrayRef<survey::Group> groups, llvm::ArrayRef<GroupReport> reports,
              llvm::ArrayRef<int> required);

/// The same after the plan was applied; here what cannot be known does not count.
bool loadsAfter(const plan::PackagePlan& planned, llvm::ArrayRef<survey::Group> groups,
                llvm::ArrayRef<int> required, const survey::PackageFacts& facts,
                resolve::LibraryStore& store);

} // namespace tcfix::doctor
