// How a package's groups load, as they are and after `tcfix apply`.
#pragma once

#include "doctor/rules.h"
#include "resolve/explain.h"

namespace tcfix::doctor {

/// How the failures of a package's libraries are explained.
resolve::ExplainOptions explainOptionsFor(const survey::PackageFacts& facts);

/// One report for each group, with every failure explained, as in a python started here; with how
/// it loads before anything else is loaded only if `withBare`.
std::vector<GroupReport> reportGroups(const survey::PackageFacts& facts,
                                      llvm::ArrayRef<survey::Group> groups,
                                      resolve::LibraryStore& store, bool withBare = true);

/// A library on demand that fails by itself, and that one which must load brings in, loads.
void countAsLoaded(std::vector<GroupReport>& reports, const io::TargetDisk& disk);

/// Whether the failure of a library on demand is more than what its surroundings may bring: the
/// machine's driver, and symbols that whoever loads it may have, or never call.
bool isWorthAWarning(const GroupReport& onDemand);

/// Marks the groups that a plan repairs, but for the machine's driver.
void markImprovable(std::vector<GroupReport>& reports, const plan::PackagePlan& planned);

Census countLibraries(llvm::ArrayRef<survey::Group> groups, llvm::ArrayRef<GroupReport> reports);

/// Majors as they are; the libraries that are needed whatever the major belong together.
std::vector<GroupReport> arrange(llvm::ArrayRef<survey::Group> groups,
                                 std::vector<GroupReport> reports);

/// Whether enough loads.
resolve::Verdict verdictNow(llvm::ArrayRef<survey::Group> groups,
                            llvm::ArrayRef<GroupReport> reports, llvm::ArrayRef<int> required);

/// The same after the plan was applied; here what cannot be known does not count.
bool loadsAfter(const plan::PackagePlan& planned, llvm::ArrayRef<survey::Group> groups,
                llvm::ArrayRef<int> required, const survey::PackageFacts& facts,
                resolve::LibraryStore& store);

} // namespace tcfix::doctor
