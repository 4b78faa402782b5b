#include "doctor/diagnose.h"

#include "advice/advice.h"
#include "base/parallel.h"
#include "doctor/group_reports.h"
#include "image/names.h"

#include <llvm/Support/Path.h>

#include <mutex>

namespace tcfix::doctor {

using resolve::Verdict;

namespace {

/// Shared by the packages of one diagnosis.
struct Examination {
  const std::string& target;
  const env::Target& found;
  const DoctorOptions& options;
  resolve::LibraryStore& store;
  const survey::Demand* demand; ///< null: of one package only
};

/// A tcfix command for the same target, or for one package of all.
std::string commandFor(std::string command, const Examination& all, const env::Package& package) {
  const DoctorOptions& options = all.options;
  if (options.survey.wantsEveryPackage && !package.recipe.isDefault())
    command += " --package " + advice::quoted(package.name);
  for (const std::string& name : options.survey.packages)
    command += " --package " + advice::quoted(name);
  if (!options.survey.sysroot.empty())
    command += " --sysroot " + advice::quoted(options.survey.sysroot);
  for (const std::string& folder : options.survey.search)
    command += " --search " + advice::quoted(folder);
  return command + " " + advice::quoted(all.target);
}

std::string summaryOfFailure(const ExaminedPackage& package, llvm::ArrayRef<Defect> defects) {
  const std::string& name = package.facts.package.name;
  const std::string repair = package.wouldLoadAfter ? "; tcfix can repair it" : "";
  for (const GroupReport& group : package.groups)
    if (!package.required.empty() && package.isWanted(group) && group.loads == Verdict::Fails)
      return name + " does not load with FFmpeg " + std::to_string(group.major) +
             ", which is required" + repair;
  for (const Defect& defect : defects)
    if (defect.isSearchable)
      return name + " does not load: " + baseName(defect.name).str() + " was not found";
  return package.wouldLoadAfter
             ? name + " does not load" + repair
             : name + " does not load; tcfix cannot repair this by editing libraries";
}

/// Why it cannot be used: what the loader reports first, not its consequences.
std::string causeOf(const ExaminedPackage& package, const std::string& otherwise) {
  for (const GroupReport& group : package.groups)
    if (const resolve::LoadProblem* cause = group.firstCause(); cause && package.isWanted(group))
      return cause->message;
  return otherwise;
}

/// The result of --run; empty if the simulation's sentence is better.
std::string summaryOfTrial(const ExaminedPackage& package) {
  const std::string& name = package.facts.package.name;
  const trial::Trial& trial = *package.trial;
  if (!trial.isOk)
    return package.simulatesLoading ? name + " does not load in this environment's Python: " +
                                          trial.reason(package.required)
                                    : std::string();
  std::string summary = name + " loads in this environment's Python";
  if (!trial.ffmpegMajor)
    return summary;
  summary += ", with FFmpeg " + std::to_string(*trial.ffmpegMajor);
  for (const GroupReport& group : package.groups)
    if (group.major == *trial.ffmpegMajor && !group.ffmpegFolder.empty())
      summary += " from " + package.found.disk.targetPath(group.ffmpegFolder);
  return summary;
}

std::string summaryOf(const ExaminedPackage& package, bool isOk, llvm::ArrayRef<Defect> defects) {
  const std::string& name = package.facts.package.name;
  const io::TargetDisk& disk = package.found.disk;
  if (package.trial)
    if (std::string summary = summaryOfTrial(package); !summary.empty())
      return summary;
  if (package.loads && !isOk)
    return (disk.knowsAbsolutePaths() ? "the libraries of " + name + " load, but it" : name) +
           " cannot be used: see the errors";
  if (package.loads && !disk.knowsAbsolutePaths())
    return "no problem found with " + name +
           " on this machine; the system directories of the target are not here";
  for (int major : package.required)
    if (llvm::none_of(package.groups, [&](const auto& group) { return group.major == major; }))
      return "this " + name + " has no libraries for FFmpeg " + std::to_string(major);
  if (!package.loads)
    return summaryOfFailure(package, defects);
  for (const GroupReport& group : package.groups)
    if (group.loads == Verdict::Loads && group.major != 0)
      return name + " loads, with FFmpeg " + std::to_string(group.major) +
             (group.ffmpegFolder.empty() ? "" : " from " + disk.targetPath(group.ffmpegFolder));
  return name + " loads";
}

/// A file that could not be used, as a sentence that begins with its name.
Defect fileDefect(Defect::Kind kind, const Problem& problem) {
  Defect defect{kind, problem.path};
  defect.sentence = llvm::sys::path::filename(problem.path).str() + ": " + problem.message;
  return defect;
}

Defects allDefectsOf(const ExaminedPackage& package) {
  Defects defects;
  for (const Problem& problem : package.facts.package.problems)
    defects.push_back(fileDefect(Defect::Kind::PackageDamaged, problem));
  for (const Problem& problem : package.facts.unreadable) {
    defects.push_back(fileDefect(Defect::Kind::Unreadable, problem));
    defects.back().isCause =
        !package.loads ||
        (package.recipe().isJudgedByModules && survey::isModuleName(problem.path) &&
         !package.recipe().roleOf(baseName(problem.path)).isOptional);
  }
  for (auto find :
       {findTorchDefects, findLoadDefects, findOnDemandDefects, findCudaDefects, findFfmpegDefects,
        findPythonDefects, findNumpyDefects, findMacDefects, findPathDefects, findSurroundings})
    find(package, defects);
  // An empty release has nothing to repair.
  const auto isEmpty = [](const Defect& defect) {
    return defect.kind == Defect::Kind::PlaceholderRelease;
  };
  if (llvm::any_of(defects, isEmpty))
    llvm::erase_if(defects, [](const Defect& defect) {
      return defect.kind == Defect::Kind::PackageDamaged ||
             defect.kind == Defect::Kind::ModuleGone || defect.kind == Defect::Kind::Unreadable ||
             defect.kind == Defect::Kind::RecordMismatch;
    });
  // If Python loads it, no defect prevents it from loading.
  if (package.trial && package.trial->isOk)
    for (Defect& defect : defects)
      defect.isCause = false;
  findTrialDefects(package, defects);
  return defects;
}

llvm::Expected<trial::Trial> tryPackage(const env::Target& found, const survey::PackageFacts& facts,
                                        llvm::ArrayRef<survey::Group> groups,
                                        llvm::ArrayRef<GroupReport> reports,
                                        llvm::ArrayRef<int> required,
                                        const DoctorOptions& options) {
  llvm::Expected<trial::Interpreter> python =
      trial::findInterpreter(found, facts.package, options.survey);
  if (!python)
    return python.takeError();
  std::vector<trial::Expectation> expected;
  for (const GroupReport& report : reports) {
    const resolve::LoadProblem* cause = report.firstCause();
    expected.push_back({report.loads, cause ? cause->message : std::string()});
  }
  const bool isEach = options.survey.wantsEveryPackage && facts.package.recipe.isJudgedByModules;
  return (isEach ? trial::tryEach : trial::tryOut)(*python, facts, groups, expected,
                                                   {.required = required.vec()});
}

/// Turns the examination of a package into its diagnosis.
PackageDiagnosis conclude(ExaminedPackage& examined, Census census, Verdict verdict) {
  const env::Package& package = examined.facts.package;
  PackageDiagnosis diagnosis;
  const Defects defects = allDefectsOf(examined);
  const FindingContext context = examined.context();
  for (const Defect& defect : defects)
    diagnosis.findings.push_back(wordFinding(defect, context));
  auto error = llvm::find_if(diagnosis.findings, [](const Finding& finding) {
    return finding.severity == Severity::Error;
  });
  const bool hasErrors = error != diagnosis.findings.end();
  diagnosis.isOk = examined.loads && (examined.trial || !hasErrors);
  diagnosis.name = package.name;
  diagnosis.version = package.version;
  diagnosis.package = package.name + (package.version.empty() ? "" : " " + package.version);
  diagnosis.census = census;
  diagnosis.verdict = !diagnosis.isOk ? Verdict::Fails : examined.trial ? Verdict::Loads : verdict;
  diagnosis.summary = summaryOf(examined, diagnosis.isOk, defects);
  if (!diagnosis.isOk)
    diagnosis.cause = causeOf(examined, hasErrors ? error->message : diagnosis.summary);
  for (const GroupReport& group : examined.groups)
    if (const resolve::Binding* unknown = group.firstUnknown();
        unknown && diagnosis.verdict == Verdict::Unknown && diagnosis.cause.empty())
      diagnosis.cause =
          "needs " + unknown->dependency + " from a directory that is not on this machine";
  const bool improves =
      llvm::any_of(examined.onDemand, [](const GroupReport& one) { return one.isImprovable; });
  // Where the target's system directories are unknown, a plan only adds what may help.
  const bool mayImprove = diagnosis.verdict == Verdict::Unknown && examined.planned.hasEdits();
  diagnosis.isRepairable = (!examined.loads && examined.wouldLoadAfter) || mayImprove ||
                           (diagnosis.isOk && examined.isOneOfAll && improves);
  if (diagnosis.isRepairable)
    diagnosis.action = examined.applyCommand;
  else if (examined.isOneOfAll && hasErrors)
    diagnosis.action = error->action;
  diagnosis.groups = std::move(examined.groups);
  if (examined.isOneOfAll)
    llvm::move(examined.onDemand, std::back_inserter(diagnosis.groups));
  diagnosis.trial = std::move(examined.trial);
  return diagnosis;
}

llvm::Expected<PackageDiagnosis> examine(const Examination& all, const env::Package& package) {
  const DoctorOptions& options = all.options;
  const bool isOneOfAll = options.survey.wantsEveryPackage;
  survey::PackageFacts facts =
      survey::gatherLoaderFacts(all.found, package, all.store, options.survey, all.demand);
  const std::vector<survey::Group> groups = survey::groupsOf(facts);
  std::vector<GroupReport> reports = reportGroups(facts, groups, all.store, !isOneOfAll);
  countAsLoaded(reports, all.store.disk());
  // With --all most packages load and need no plan.
  const bool isPlanned = !isOneOfAll || !package.recipe.isJudgedByModules ||
                         llvm::any_of(reports, [](const GroupReport& report) {
                           return report.loads == Verdict::Fails;
                         });
  plan::PackagePlan planned;
  if (isPlanned) {
    survey::addProviders(facts, all.found, options.survey);
    // A plan must not depend on the variables of this process.
    planned = plan::planPackage(facts, {}, survey::Simulation(facts, all.store));
    markImprovable(reports, planned);
  }
  ExaminedPackage examined{all.found, facts, planned, all.store};
  examined.isOneOfAll = isOneOfAll;
  // A package without libraries for FFmpeg majors cannot lack one.
  if (llvm::any_of(groups, [](const survey::Group& group) { return group.major != 0; }))
    examined.required = options.required;
  const Verdict verdict = verdictNow(groups, reports, examined.required);
  examined.loads = examined.simulatesLoading = verdict != Verdict::Fails;
  examined.wouldLoadAfter =
      isPlanned ? loadsAfter(planned, groups, examined.required, facts, all.store) : examined.loads;
  if (options.isTried) {
    llvm::Expected<trial::Trial> trial =
        tryPackage(all.found, facts, groups, reports, examined.required, options);
    if (!trial)
      return trial.takeError();
    examined.loads = trial->isOk;
    // The plan does not repair a failure that the simulation does not detect.
    examined.wouldLoadAfter &= trial->isOk || !examined.simulatesLoading;
    examined.trial = std::move(*trial);
  }
  const Census census = countLibraries(groups, reports);
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].need == survey::Group::Need::OnDemand)
      examined.onDemand.push_back(reports[i]);
  examined.groups = arrange(groups, std::move(reports));
  examined.applyCommand = commandFor("tcfix apply", all, package);
  examined.runCommand = commandFor("tcfix doctor --run --json", all, package);
  return conclude(examined, census, verdict);
}

/// All packages, several in parallel; each library is read once for all of them.
llvm::Error examineAll(const Examination& all, Diagnosis& diagnosis, Advance advance) {
  std::vector<const env::Package*> packages;
  for (const env::Package& package : all.found.packages)
    if (!all.found.isShadowed(package))
      packages.push_back(&package);
  std::vector<std::optional<PackageDiagnosis>> results(packages.size());
  std::mutex mutex;
  std::optional<Problem> failure;
  size_t done = 0;
  parallelFor(packages.size(), hardwareThreads(), [&](size_t i) {
    llvm::Expected<PackageDiagnosis> examined = examine(all, *packages[i]);
    std::lock_guard lock(mutex);
    if (!examined) {
      failure = toProblem(examined.takeError(), all.target);
      return;
    }
    if (!all.options.keepsTraces)
      examined->groups.clear();
    results[i] = std::move(*examined);
    advance(++done, packages.size());
  });
  if (failure)
    return toError(*failure);
  for (std::optional<PackageDiagnosis>& result : results)
    diagnosis.packages.push_back(std::move(*result));
  return llvm::Error::success();
}

/// The next command for all packages.
std::string actionForAll(const Examination& all, const Diagnosis& diagnosis) {
  std::vector<const PackageDiagnosis*> withAction;
  for (const PackageDiagnosis& package : diagnosis.packages)
    if (!package.action.empty() && (!package.isOk || diagnosis.isOk()))
      withAction.push_back(&package);
  if (withAction.empty())
    return {};
  const bool areRepairable = llvm::all_of(
      withAction, [](const PackageDiagnosis* package) { return package->isRepairable; });
  return areRepairable && withAction.size() > 1 ? "tcfix apply --all " + advice::quoted(all.target)
                                                : withAction.front()->action;
}

} // namespace

llvm::Expected<Diagnosis> diagnose(const std::string& target, const DoctorOptions& options,
                                   Advance advance) {
  llvm::Expected<env::Target> found = survey::locate(target, options.survey);
  if (!found)
    return found.takeError();
  Diagnosis diagnosis;
  diagnosis.target = target;
  diagnosis.required = options.required;
  diagnosis.isKnown = found->disk.knowsAbsolutePaths();
  diagnosis.disk = found->disk;
  resolve::LibraryStore store(found->disk);
  if (options.survey.wantsEveryPackage) {
    const survey::Demand demand(found->packages, store);
    const Examination all{target, *found, options, store, &demand};
    diagnosis.isOfAll = true;
    if (llvm::Error error = examineAll(all, diagnosis, advance))
      return error;
    diagnosis.action = actionForAll(all, diagnosis);
    return diagnosis;
  }
  for (const env::Package& package : found->packages) {
    if (found->isShadowed(package))
      continue;
    llvm::Expected<PackageDiagnosis> examined =
        examine({target, *found, options, store, nullptr}, package);
    if (!examined)
      return examined.takeError();
    diagnosis.packages.push_back(std::move(*examined));
  }
  diagnosis.action = diagnosis.decisive().action;
  if (!diagnosis.isOk() && diagnosis.action.empty())
    for (const Finding* finding : diagnosis.findings())
      if (diagnosis.action.empty() && finding->severity != Severity::Info)
        diagnosis.action = finding->action;
  return diagnosis;
}

} // namespace tcfix::doctor
