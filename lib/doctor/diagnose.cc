#include "doctor/diagnose.h"

#include "advice/advice.h"
#include "doctor/group_reports.h"
#include "image/names.h"

#include <llvm/Support/Path.h>

namespace tcfix::doctor {

using resolve::Verdict;

namespace {

/// A command of tcfix about the same target.
std::string commandFor(std::string command, const std::string& target,
                       const DoctorOptions& options) {
  for (const std::string& name : options.survey.packages)
    command += " --package " + advice::quoted(name);
  if (!options.survey.sysroot.empty())
    command += " --sysroot " + advice::quoted(options.survey.sysroot);
  for (const std::string& folder : options.survey.search)
    command += " --search " + advice::quoted(folder);
  return command + " " + advice::quoted(target);
}

std::string summaryOfFailure(const ExaminedPackage& package, llvm::ArrayRef<Defect> defects) {
  const std::string& name = package.facts.package.name;
  const std::string repair = package.wouldLoadAfter ? "; tcfix can repair that" : "";
  for (const GroupReport& group : package.groups)
    if (!package.required.empty() && package.isWanted(group) && group.loads == Verdict::Fails)
      return name + " does not load with FFmpeg " + std::to_string(group.major) +
             ", which is required" + repair;
  for (const Defect& defect : defects)
    if (defect.isSearchable)
      return name + " does not load: nothing that was searched has " + baseName(defect.name).str();
  return package.wouldLoadAfter
             ? name + " does not load" + repair
             : name + " does not load, and no edit of its libraries alone can change that";
}

/// What python showed; empty where the simulation has the better words.
std::string summaryOfTrial(const ExaminedPackage& package) {
  const std::string& name = package.facts.package.name;
  const trial::Trial& trial = *package.trial;
  if (!trial.isOk)
    return package.simulatesLoading ? name + " does not load in this environment's python: " +
                                          trial.reason(package.required)
                                    : std::string();
  std::string summary = name + " loads in this environment's python";
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
    return "the libraries of " + name + " are in order, and it cannot be used as it is";
  if (package.loads && !disk.knowsAbsolutePaths())
    return "what can be seen of " + name +
           " is in order; the target's system is out of reach, so that no more can be said";
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
    defects.back().isCause = !package.loads;
  }
  for (auto find : {findTorchDefects, findLoadDefects, findCudaDefects, findFfmpegDefects,
                    findPythonDefects, findMacDefects, findPathDefects, findSurroundings})
    find(package, defects);
  // What python loads, nothing keeps from loading.
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
  return trial::tryOut(*python, facts, groups, expected, {.required = required.vec()});
}

llvm::Expected<PackageDiagnosis> examine(const std::string& target, const env::Target& found,
                                         const env::Package& package,
                                         const DoctorOptions& options) {
  resolve::LibraryStore store(found.disk);
  const survey::PackageFacts facts = survey::gatherFacts(found, package, store, options.survey);
  const std::vector<survey::Group> groups = survey::groupsOf(facts);
  // A plan must hold without the variables of this process.
  const plan::PackagePlan planned = plan::planPackage(facts, {}, survey::Simulation(facts, store));
  std::vector<GroupReport> reports = reportGroups(facts, groups, store);

  ExaminedPackage examined{found, facts, planned, store};
  // A package without libraries for FFmpeg majors cannot lack one.
  if (llvm::any_of(groups, [](const survey::Group& group) { return group.major != 0; }))
    examined.required = options.required;
  examined.loads = examined.simulatesLoading = loadsNow(groups, reports, examined.required);
  examined.wouldLoadAfter = loadsAfter(planned, groups, examined.required, facts, store);
  if (options.isTried) {
    llvm::Expected<trial::Trial> trial =
        tryPackage(found, facts, groups, reports, examined.required, options);
    if (!trial)
      return trial.takeError();
    examined.loads = trial->isOk;
    // What fails although the simulation finds nothing wrong, its plan does not repair.
    examined.wouldLoadAfter &= trial->isOk || !examined.simulatesLoading;
    examined.trial = std::move(*trial);
  }
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].need == survey::Group::Need::OnDemand)
      examined.onDemand.push_back(reports[i]);
  examined.groups = arrange(groups, std::move(reports));
  examined.applyCommand = commandFor("tcfix apply", target, options);
  examined.runCommand = commandFor("tcfix doctor --run --json", target, options);

  PackageDiagnosis diagnosis;
  const Defects defects = allDefectsOf(examined);
  for (const Defect& defect : defects)
    diagnosis.findings.push_back(wordFinding(defect, examined.context()));
  const bool hasErrors = llvm::any_of(diagnosis.findings, [](const Finding& finding) {
    return finding.severity == Severity::Error;
  });
  diagnosis.isOk = examined.loads && (examined.trial || !hasErrors);
  diagnosis.package = package.name + (package.version.empty() ? "" : " " + package.version);
  diagnosis.summary = summaryOf(examined, diagnosis.isOk, defects);
  if (!examined.loads && examined.wouldLoadAfter)
    diagnosis.action = examined.applyCommand;
  diagnosis.groups = std::move(examined.groups);
  diagnosis.trial = std::move(examined.trial);
  return diagnosis;
}

} // namespace

llvm::Expected<Diagnosis> diagnose(const std::string& target, const DoctorOptions& options) {
  llvm::Expected<env::Target> found = survey::locate(target, options.survey);
  if (!found)
    return found.takeError();
  Diagnosis diagnosis;
  diagnosis.target = target;
  diagnosis.required = options.required;
  diagnosis.isKnown = found->disk.knowsAbsolutePaths();
  diagnosis.disk = found->disk;
  for (const env::Package& package : found->packages) {
    if (found->isShadowed(package))
      continue;
    llvm::Expected<PackageDiagnosis> examined = examine(target, *found, package, options);
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
