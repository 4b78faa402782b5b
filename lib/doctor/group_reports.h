// How a package's groups load, now and after `tcfix apply`.
#pragma once

#include "doctor/rules.h"
#include "resolve/explain.h"

namespace tcfix::doctor {

/// How to explain the failures of a package's libraries.
resolve::ExplainOptions explainOptionsFor(const survey::PackageFacts& facts);

/// One report for each group, with every failure explained, as in a Python started here. Only with
/// `withBare` does it include how the group loads with nothing else loaded.
std::vector<GroupReport> reportGroups(const survey::PackageFacts& facts,
                                      llvm::ArrayRef<survey::Group> groups,
                                      resolve::LibraryStore& store, bool withBare = true);

/// Marks an on-demand library that fails by itself as loaded if a library that must load loads it.
void countAsLoaded(std::vector<GroupReport>& reports, const io::TargetDisk& disk);

/// Whether the failure of an on-demand library is due to more than what other software may provide:
/// the machine's driver, and symbols that its loader may have or that are never called.
bool isWorthAWarning(const GroupReport& onDemand);

/// Marks the groups that a plan repairs, ignoring the machine's driver.
void markImprovable(std::vector<GroupReport>& reports, const plan::PackagePlan& planned);

Census countLibraries(llvm::ArrayRef<survey::Group> groups, llvm::ArrayRef<GroupReport> reports);

/// Keeps majors separate, and combines the libraries that are needed regardless of the major.
std::vector<GroupReport> arrange(llvm::ArrayRef<survey::Group> groups,
                                 std::vector<GroupReport> reports);

/// Whether enough loads.
resolve::Verdict verdictNow(llvm::ArrayRef<survey::Group> groups,
                            llvm::ArrayRef<GroupReport> reports, llvm::ArrayRef<int> required);

/// The same after the plan was applied; unknown verdicts are ignored.
bool loadsAfter(const plan::PackagePlan& planned, llvm::ArrayRef<survey::Group> groups,
                llvm::ArrayRef<int> required, const survey::PackageFacts& facts,
                resolve::LibraryStore& store);

} // namespace tcfix::doctor
