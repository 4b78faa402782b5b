// Whether a package can be used, and nothing else: no plan, no advice, no search for other FFmpegs,
// and no major after the first that loads. torch's libraries are assumed to have each other's
// symbols; otherwise the verdict is the same as that of diagnose().
#include "doctor/diagnose.h"
#include "doctor/group_reports.h"
#include "survey/simulation.h"

namespace tcfix::doctor {

using resolve::Verdict;

namespace {

/// Quickly finds groups that cannot load because a dependency is missing. Comparing symbols takes
/// most of the time, and is not needed then.
class DependencyCheck {
public:
  DependencyCheck(const survey::PackageFacts& facts, resolve::LibraryStore& store)
      : session(store, processOf(facts)) {
    session.trustSymbols(true);
    for (const std::string& path : facts.torchLibraries())
      session.load(path);
  }

  bool lacksSome(const survey::Group& group) const {
    resolve::Session own = session.clone();
    return llvm::any_of(group.libraries, [&](const survey::LibraryFacts* library) {
      return own.load(library->path).verdict == Verdict::Fails;
    });
  }

private:
  static resolve::ProcessOptions processOf(const survey::PackageFacts& facts) {
    resolve::ProcessOptions process = facts.process;
    process.environment = facts.variables;
    return process;
  }

  resolve::Session session;
};

bool loadsEnough(const survey::PackageFacts& facts, resolve::LibraryStore& store,
                 llvm::ArrayRef<int> required) {
  const std::vector<survey::Group> groups = survey::groupsOf(facts);
  const DependencyCheck dependencies(facts, store);
  std::optional<survey::Simulation> simulation; // created on first use
  bool hasMajor = false;
  auto verdict = [&](size_t i) {
    const survey::Group& group = groups[i];
    if (hasMajor && group.major != 0 && !llvm::is_contained(required, group.major))
      return Verdict::Fails; // no longer matters
    // Python code that loads siblings first may provide what is missing.
    if (!facts.package.recipe.loadsSiblingsFirst && dependencies.lacksSome(group))
      return Verdict::Fails;
    if (!simulation)
      simulation.emplace(facts, store, facts.variables, explainOptionsFor(facts),
                         /*trustsTorch=*/true);
    const Verdict own = simulation->load(group, {}, survey::Regime::Preloaded).verdict;
    hasMajor |= group.major != 0 && own == Verdict::Loads;
    return own;
  };
  return survey::verdictOf(groups, verdict, required) != Verdict::Fails;
}

bool isUsable(const env::Target& found, const env::Package& package, const DoctorOptions& options) {
  resolve::LibraryStore store(found.disk);
  const survey::PackageFacts facts =
      survey::gatherLoaderFacts(found, package, store, options.survey);
  if (!loadsEnough(facts, store, options.required))
    return false;
  const plan::PackagePlan none;
  ExaminedPackage examined{found, facts, none, store};
  examined.loads = true;
  // The other rules report no errors for a package that loads.
  Defects defects;
  for (auto find : {findTorchDefects, findOnDemandDefects, findPythonDefects, findNumpyDefects,
                    findHardenedPython})
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
