// How a package loads: before and after a run, and as its plan promises.
#pragma once

#include "plan/plan.h"

#include <memory>

namespace tcfix::apply {

/// For each group the verdict with torch imported and without.
struct PackageLoads {
  std::vector<plan::GroupLoads> preloaded, bare;
};
using KnownLoads = std::shared_ptr<const PackageLoads>; ///< null: it could not be known

/// As the files are.
KnownLoads simulate(const plan::PackageFacts& facts, resolve::LibraryStore& store);

/// As they will be.
KnownLoads promisedBy(const plan::PackagePlan& plan);

/// torchcodec works when one of its majors does; a package without majors when all of it does.
resolve::Verdict overall(llvm::ArrayRef<plan::GroupLoads> loads,
                         llvm::ArrayRef<plan::Group> groups);

} // namespace tcfix::apply
