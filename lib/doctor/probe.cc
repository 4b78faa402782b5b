// Whether a package can be used, and nothing else: no plan, no advice, no look at other FFmpegs,
// and no major after the first one that loads. torch's libraries are trusted to have each other's
// symbols; else the verdict is that of diagnose().
#include "doctor/diagnose.h"
#include "doctor/group_reports.h"
#include "survey/simulation.h"

namespace tcfix::doctor {

using resolve::Verdict;

namespace {

bool loadsEnough(const survey::PackageFacts& facts, resolve::LibraryStore& store,
                 llvm::ArrayRef<int> required) {
  const std::vector<survey::Group> groups = survey::groupsOf(facts);
  const survey::Simulation simulation(facts, store, facts.variables, explainOptionsFor(facts),
                                      /*trustsTorch=*/true);
  bool hasMajor = false;
  auto verdict = [&](size_t i) {
    const survey::Group& group = groups[i];
    if (hasMajor && group.major != 0 && !llvm::is_contained(required, group.major))
      return Verdict::Fails; // does not matter any more
    Verdict own = simulation.load(group, {}, survey::Regime::Preloaded).verdict;
    hasMajor |= group.major != 0 && own == Verdict::Loads;
    return own;
  };
  return survey::verdictOf(groups, verdict, required) != Verdict::Fails;
}

bool isUsable(const env::Target& found, const env::Package& package,
              const DoctorOptions& options) {
  resolve::LibraryStore store(found.disk);
  const survey::PackageFacts facts =
      survey::gatherLoaderFacts(found, package, store, options.survey);
  if (!loadsEnough(facts, store, options.required))
    return false;
  const plan::PackagePlan none;
  ExaminedPackage examined{found, facts, none, store};
  examined.loads = true;
  // The other rules report no errors of a package that loads.
  Defects defects;
  for (auto find : {findTorchDefects, findPythonDefects, findHardenedPython})
    find(examined, defects);
  const FindingContext context = examined.context();
  return llvm::none_of(defects, [&](const Defect& defect) {
    return wordFinding(defect, context).severity == Severity::Error;
  });
}

} // namespace

llvm::Expected<bool> isUsable(const std::string& target, const DoctorOptions& options) {
  llvm::Expected<env::Target> found = survey::locate(target, options.survey);
  if (!found)
    return found.takeError();
  return llvm::all_of(found->packages, [&](const env::Package& package) {
    return found->isShadowed(package) || isUsable(*found, package, options);
  });
}

} // namespace tcfix::doctor
