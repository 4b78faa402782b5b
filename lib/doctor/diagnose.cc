#include "doctor/diagnose.h"

#include "advice/advice.h"
#include "doctor/group_reports.h"

#include <llvm/Support/Path.h>

namespace tcfix::doctor {

using resolve::Verdict;

namespace {

std::string applyCommandFor(const std::string& target, const DoctorOptions& options) {
  std::string command = "tcfix apply";
  for (const std::string& name : options.survey.packages)
    command += " --package " + advice::quoted(name);
  if (!options.survey.sysroot.empty())
    command += " --sysroot " + advice::quoted(options.survey.sysroot);
  return command + " " + advice::quoted(target);
}

std::string summaryOfFailure(const ExaminedPackage& package) {
  const std::string& name = package.facts.package.name;
  const std::string repair = package.wouldLoadAfter ? "; tcfix can repair that" : "";
  for (const GroupReport& group : package.groups)
    if (!package.required.empty() && package.isWanted(group) && group.loads == Verdict::Fails)
      return name + " does not load with FFmpeg " + std::to_string(group.major) +
             ", which is required" + repair;
  return package.wouldLoadAfter
             ? name + " does not load" + repair
             : name + " does not load, and no edit of its libraries alone can change that";
}

std::string summaryOf(const ExaminedPackage& package, bool isOk) {
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
    return summaryOfFailure(package);
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
  examined.required = options.required;
  examined.loads = loadsNow(groups, reports, options.required);
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].need == survey::Group::Need::OnDemand)
      examined.onDemand.push_back(reports[i]);
  examined.groups = arrange(groups, std::move(reports));
  examined.wouldLoadAfter = loadsAfter(planned, groups, options.required, facts, store);
  examined.applyCommand = applyCommandFor(target, options);

  PackageDiagnosis diagnosis;
  for (const Defect& defect : allDefectsOf(examined))
    diagnosis.findings.push_back(wordFinding(defect, examined.context()));
  diagnosis.isOk = examined.loads && llvm::none_of(diagnosis.findings, [](const Finding& finding) {
                     return finding.severity == Severity::Error;
                   });
  diagnosis.package = package.name + (package.version.empty() ? "" : " " + package.version);
  diagnosis.summary = summaryOf(examined, diagnosis.isOk);
  if (!examined.loads && examined.wouldLoadAfter)
    diagnosis.action = examined.applyCommand;
  diagnosis.groups = std::move(examined.groups);
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
  for (const env::Package& package : found->packages)
    if (!found->isShadowed(package))
      diagnosis.packages.push_back(examine(target, *found, package, options));
  diagnosis.action = diagnosis.decisive().action;
  if (!diagnosis.isOk() && diagnosis.action.empty())
    for (const Finding* finding : diagnosis.findings())
      if (diagnosis.action.empty() && finding->severity != Severity::Info)
        diagnosis.action = finding->action;
  return diagnosis;
}

} // namespace tcfix::doctor
