#include "apply/package_loads.h"

#include "base/parallel.h"
#include "resolve/verdict.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::apply {

using plan::Regime;
using resolve::Verdict;

KnownLoads simulate(const plan::PackageFacts& facts, resolve::LibraryStore& store) {
  plan::Simulation simulation(facts, store);
  std::vector<plan::Group> groups = plan::groupsOf(facts);
  PackageLoads loads;
  loads.preloaded.resize(groups.size());
  loads.bare.resize(groups.size());
  parallelFor(groups.size(), hardwareThreads(), [&](size_t i) {
    loads.preloaded[i] = simulation.load(groups[i], {}, Regime::Preloaded);
    loads.bare[i] = simulation.load(groups[i], {}, Regime::Bare);
  });
  return std::make_shared<PackageLoads>(std::move(loads));
}

KnownLoads promisedBy(const plan::PackagePlan& plan) {
  PackageLoads loads;
  for (const plan::GroupPlan& group : plan.groups) {
    loads.preloaded.push_back(group.preloaded);
    loads.bare.push_back(group.bare);
  }
  return std::make_shared<PackageLoads>(std::move(loads));
}

Verdict overall(llvm::ArrayRef<plan::GroupLoads> loads, llvm::ArrayRef<plan::Group> groups) {
  bool hasMajors = llvm::any_of(groups, [](const plan::Group& group) { return group.major != 0; });
  std::optional<Verdict> verdict;
  for (size_t i = 0; i < groups.size(); ++i)
    if ((groups[i].major != 0) == hasMajors)
      verdict = !verdict    ? loads[i].verdict
                : hasMajors ? either(*verdict, loads[i].verdict)
                            : both(*verdict, loads[i].verdict);
  return verdict.value_or(Verdict::Fails);
}

} // namespace tcfix::apply
