#include "apply/apply.h"

#include "apply/package_run.h"
#include "base/parallel.h"
#include "base/paths.h"
#include "env/distribution.h"
#include "resolve/verdict.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/Path.h>

namespace tcfix::apply {

using resolve::Verdict;

namespace {

// Files there are shared with other environments, or are in a store that must not change.
std::string sharedStoreOf(llvm::StringRef folder, const io::TargetDisk& disk) {
  std::string real = slashed(disk.realPath(folder).value_or(""));
  for (llvm::StringRef part : {"/archive-v0/", "/environments-v2/", "/nix/store/"})
    if (llvm::StringRef(real).contains(part))
      return part == "/nix/store/" ? "the Nix store" : "uv's cache";
  return {};
}

// An installer writes a package's .dist-info last and removes it first; a journal written in
// between would be in a place where later runs do not look. In a site without any .dist-info,
// packages were not put there by an installer.
bool isBeingInstalled(const env::Package& package, const env::Target& target) {
  const env::EnvironmentKind kind = target.environment.kind;
  bool isNamedItself = kind == env::EnvironmentKind::Folder || kind == env::EnvironmentKind::File;
  return package.distInfo.empty() && !package.libraries.empty() && !isNamedItself &&
         !env::distributionsIn(package.site, target.disk).empty();
}

/// With --all: whether a package may need changes. A package that tcfix changed before is planned
/// again, because its surroundings may have changed.
bool isToBePlanned(const env::Target& target, const env::Package& package,
                   resolve::LibraryStore& store, const survey::Demand& demand,
                   const ApplyOptions& options) {
  if (package.recipe.isDefault() || target.disk.isFile(journalOf(package).path))
    return true;
  const survey::PackageFacts facts =
      survey::gatherLoaderFacts(target, package, store, options.survey, &demand);
  const std::vector<survey::Group> groups = survey::groupsOf(facts);
  const survey::Simulation simulation(facts, store);
  return llvm::any_of(groups, [&](const survey::Group& group) {
    return simulation.load(group, {}, survey::Regime::Preloaded).verdict == Verdict::Fails;
  });
}

/// The packages to work on: those that were named, or with --all those that need it.
std::vector<const env::Package*> packagesOf(const env::Target& target,
                                            const ApplyOptions& options) {
  const bool areAll = options.survey.wantsEveryPackage;
  std::vector<char> isWanted(target.packages.size(), !areAll);
  if (areAll) {
    resolve::LibraryStore store(target.disk);
    const survey::Demand demand(target.packages, store);
    parallelFor(target.packages.size(), hardwareThreads(), [&](size_t i) {
      isWanted[i] = !target.isShadowed(target.packages[i]) &&
                    isToBePlanned(target, target.packages[i], store, demand, options);
    });
  }
  std::vector<const env::Package*> packages;
  for (size_t i = 0; i < target.packages.size(); ++i)
    if (isWanted[i])
      packages.push_back(&target.packages[i]);
  return packages;
}

llvm::Error refuse(const env::Package& package, const env::Target& target,
                   const ApplyOptions& options) {
  if (!package.outward.empty())
    return fail(ErrorCode::Unsupported,
                "the directory of " + package.name + " is a link out of the environment, to " +
                    package.outward,
                "repair that directory: tcfix apply " + package.outward);
  if (!package.owners.empty())
    return fail(ErrorCode::Usage,
                package.name +
                    " is part of several installed packages: " + llvm::join(package.owners, ", "),
                "name one of them with --package");
  if (options.isWriting && isBeingInstalled(package, target))
    return fail(
        ErrorCode::Busy,
        package.name + " has no .dist-info in " + package.site +
            ": the package is being installed, or was copied there",
        "if it is being installed, run the same command again afterwards; if it was copied, "
        "repair its directory: tcfix apply " +
            llvm::sys::path::parent_path(package.libraries.front()).str());
  llvm::StringSet<> seen;
  for (const std::string& library : package.libraries) {
    const llvm::StringRef folder = llvm::sys::path::parent_path(library);
    if (options.isForced || !seen.insert(folder).second)
      continue;
    if (std::string store = sharedStoreOf(folder, target.disk); !store.empty())
      return fail(ErrorCode::Unsupported, library + " is in " + store + ", which is shared",
                  "repair a separate environment, or use --force");
  }
  return llvm::Error::success();
}

} // namespace

TargetOutcome applyTo(const std::string& target, const ApplyOptions& options, io::Notify notify) {
  TargetOutcome outcome;
  outcome.path = target;
  outcome.loads = outcome.loadsBare = {Verdict::Loads, Verdict::Loads};
  llvm::Expected<env::Target> found = survey::locate(target, options.survey);
  if (!found) {
    outcome.problems.push_back(toProblem(found.takeError(), target));
    outcome.loads = outcome.loadsBare = {};
    return outcome;
  }
  outcome.isFullyKnown = found->disk.knowsAbsolutePaths();
  std::vector<trial::Trial> trials;
  const std::vector<const env::Package*> packages = packagesOf(*found, options);
  if (options.trial) {
    outcome.required = options.trial->required;
    // Before anything is written.
    for (const env::Package* package : packages)
      if (llvm::Error error =
              trial::findInterpreter(*found, *package, options.survey).takeError()) {
        outcome.problems.push_back(toProblem(std::move(error), target));
        outcome.loads = outcome.loadsBare = {};
        return outcome;
      }
  }
  const io::TargetDisk forgetful = found->disk;
  for (const env::Package* each : packages) {
    const env::Package& package = *each;
    found->disk = forgetful; // the package before may have changed files
    llvm::append_range(outcome.warnings, package.problems);
    if (llvm::Error error = refuse(package, *found, options)) {
      outcome.problems.push_back(toProblem(std::move(error), target));
      continue;
    }
    PackageRun run(*found, package, options);
    std::optional<commit::Locks> locks(run.lock(notify));
    llvm::Error error = run.run(*locks);
    const bool isDone = !error;
    if (error)
      outcome.problems.push_back(toProblem(std::move(error), target));
    run.report(outcome);
    if (!options.trial || !isDone)
      continue;
    locks.reset(); // all writing is done, and importing torch is slow
    llvm::Expected<trial::Trial> trial = run.tryOut(*options.trial);
    if (trial)
      trials.push_back(std::move(*trial));
    else
      outcome.problems.push_back(toProblem(trial.takeError(), target));
  }
  if (!trials.empty())
    outcome.trial = trial::together(std::move(trials));
  return outcome;
}

} // namespace tcfix::apply
