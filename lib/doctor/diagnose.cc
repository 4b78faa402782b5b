#include "doctor/diagnose.h"

#include "doctor/advice.h"
#include "doctor/group_reports.h"
#include "env/prefix.h"
#include "image/names.h"

#include <llvm/Support/Path.h>

namespace tcfix::doctor {

using resolve::Verdict;

namespace {

std::string applyCommandFor(const std::string& target, const DoctorOptions& options) {
  std::string command = "tcfix apply";
  for (const std::string& name : options.survey.packages)
    command += " --package " + quoted(name);
  if (!options.survey.sysroot.empty())
    command += " --sysroot " + quoted(options.survey.sysroot);
  for (const std::string& folder : options.survey.search)
    command += " --search " + quoted(folder);
  return command + " " + quoted(target);
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

std::string summaryOf(const ExaminedPackage& package, bool isOk, llvm::ArrayRef<Defect> defects) {
  const std::string& name = package.facts.package.name;
  const io::TargetDisk& disk = package.found.disk;
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
  for (auto find : {findTorchDefects, findLoadDefects, findFfmpegDefects, findPythonDefects,
                    findMacDefects, findPathDefects, findSurroundings})
    find(package, defects);
  return defects;
}

PackageDiagnosis examine(const std::string& target, const env::Target& found,
                         const env::Package& package, const DoctorOptions& options) {
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
  examined.loads = loadsNow(groups, reports, examined.required);
  examined.groups = arrange(groups, std::move(reports));
  examined.wouldLoadAfter = loadsAfter(planned, groups, examined.required, facts, store);
  examined.applyCommand = applyCommandFor(target, options);

  PackageDiagnosis diagnosis;
  const Defects defects = allDefectsOf(examined);
  for (const Defect& defect : defects)
    diagnosis.findings.push_back(wordFinding(defect, examined.context()));
  diagnosis.isOk = examined.loads && llvm::none_of(diagnosis.findings, [](const Finding& finding) {
                     return finding.severity == Severity::Error;
                   });
  diagnosis.package = package.name + (package.version.empty() ? "" : " " + package.version);
  diagnosis.summary = summaryOf(examined, diagnosis.isOk, defects);
  if (!examined.loads && examined.wouldLoadAfter)
    diagnosis.action = examined.applyCommand;
  diagnosis.groups = std::move(examined.groups);
  return diagnosis;
}

/// Python takes the first package of a name that is on its path.
bool isShadowed(const env::Package& package, const env::Target& found) {
  auto versionFor = [&](const env::Package& one) {
    for (const env::Site& site : found.environment.sites)
      if (site.folder == one.site)
        return site.pythonVersion;
    return std::string();
  };
  for (const env::Package& other : found.packages) {
    if (&other == &package)
      return false;
    if (other.name == package.name && env::goesWith(versionFor(other), versionFor(package)))
      return true;
  }
  return false;
}

} // namespace

FindingContext ExaminedPackage::context() const {
  FindingContext context;
  context.platform = facts.platform;
  context.isConda = found.environment.kind == env::EnvironmentKind::Conda;
  context.package = facts.package.name;
  context.torch = facts.torch ? facts.torch->version : std::string();
  context.isTorchWithoutCuda =
      facts.torch && llvm::none_of(facts.torchNames,
                                   [](llvm::StringRef name) { return name.contains("c10_cuda"); });
  context.applyCommand = applyCommand;
  context.isInstalled = !facts.package.distInfo.empty();
  return context;
}

llvm::Expected<Diagnosis> diagnose(const std::string& target, const DoctorOptions& options) {
  llvm::Expected<env::Target> found = survey::locate(target, options.survey);
  if (!found)
    return found.takeError();
  Diagnosis diagnosis;
  diagnosis.target = target;
  diagnosis.required = options.required;
  diagnosis.isKnown = found->disk.knowsAbsolutePaths();
  for (const env::Package& package : found->packages)
    if (!isShadowed(package, *found))
      diagnosis.packages.push_back(examine(target, *found, package, options));
  diagnosis.action = diagnosis.decisive().action;
  if (!diagnosis.isOk() && diagnosis.action.empty())
    for (const Finding* finding : diagnosis.findings())
      if (diagnosis.action.empty() && finding->severity != Severity::Info)
        diagnosis.action = finding->action;
  return diagnosis;
}

} // namespace tcfix::doctor
