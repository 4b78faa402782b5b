#include "doctor/diagnose.h"

#include "base/parallel.h"
#include "doctor/rules.h"
#include "env/prefix.h"
#include "resolve/verdict.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace tcfix::doctor {

using resolve::Binding;
using resolve::LoadProblem;
using resolve::Verdict;
using survey::GroupLoads;
using survey::Regime;

namespace {

std::string folderOfFfmpeg(const GroupLoads& loads) {
  for (const resolve::LoadResult& result : loads.results)
    for (const Binding& binding : result.bindings) {
      std::optional<providers::FfmpegName> name = providers::parseFfmpegName(binding.dependency);
      if (name && name->component == "avcodec" && binding.state == Binding::State::Found)
        return llvm::sys::path::parent_path(binding.provider).str();
    }
  return {};
}

GroupReport reportOn(const survey::Group& group, const survey::PackageFacts& facts,
                     const survey::Simulation& simulation, resolve::LibraryStore& store,
                     const std::map<std::string, Image>& judged) {
  GroupLoads preloaded = simulation.load(group, {}, Regime::Preloaded);
  GroupReport report;
  report.major = group.major;
  report.loads = preloaded.verdict;
  report.loadsBare = simulation.load(group, {}, Regime::Bare).verdict;
  report.ffmpegFolder = folderOfFfmpeg(preloaded);
  for (size_t i = 0; i < group.libraries.size(); ++i) {
    const std::string& path = group.libraries[i]->path;
    resolve::LoadResult& result = preloaded.results[i];
    bool isCompared = llvm::any_of(result.problems, [&](const LoadProblem& problem) {
      return problem.code == LoadProblem::Code::MissingSymbols && problem.library == path;
    });
    std::optional<LoadProblem> more;
    if (auto image = judged.find(path); image != judged.end())
      more = refusalOf(path, image->second, facts.process.arch);
    else if (!isCompared)
      more = compareWithTorch(facts, store, path);
    if (more) {
      result.problems.push_back(std::move(*more));
      result.verdict = report.loads = report.loadsBare = Verdict::Fails;
    }
    report.libraries.push_back({path, std::move(result)});
  }
  return report;
}

// Majors as they are; the libraries that are needed whatever the major belong together.
std::vector<GroupReport> arrange(llvm::ArrayRef<survey::Group> groups,
                                 std::vector<GroupReport> reports) {
  std::vector<GroupReport> result;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].need == survey::Group::Need::OnDemand)
      continue;
    if (reports[i].major != 0 || result.empty() || result.back().major != 0) {
      result.push_back(std::move(reports[i]));
      continue;
    }
    result.back().loads = both(result.back().loads, reports[i].loads);
    result.back().loadsBare = both(result.back().loadsBare, reports[i].loadsBare);
    llvm::move(reports[i].libraries, std::back_inserter(result.back().libraries));
  }
  return result;
}

std::string applyCommandFor(const std::string& target, const DoctorOptions& options) {
  std::string command = "tcfix apply";
  for (const std::string& name : options.survey.packages)
    command += " --package " + quoted(name);
  if (!options.survey.sysroot.empty())
    command += " --sysroot " + quoted(options.survey.sysroot);
  return command + " " + quoted(target);
}

bool loadsAfter(const plan::PackagePlan& planned, llvm::ArrayRef<survey::Group> groups,
                llvm::ArrayRef<int> required, const std::map<std::string, Image>& judged,
                llvm::StringRef arch) {
  auto verdict = [&](size_t i) {
    const plan::GroupPlan& plan = planned.groups[i];
    const bool isRefused =
        llvm::any_of(plan.group.libraries, [&](const survey::LibraryFacts* library) {
          auto image = judged.find(library->path);
          return image != judged.end() && refusalOf(library->path, image->second, arch);
        });
    return isRefused || plan.preloaded.verdict != Verdict::Loads ? Verdict::Fails : Verdict::Loads;
  };
  return survey::verdictOf(groups, verdict, required) == Verdict::Loads;
}

std::string summaryOf(const Case& facts, const Diagnosis& diagnosis) {
  const std::string& name = facts.facts.package.name;
  if (facts.loads && !diagnosis.isOk)
    return "the libraries of " + name + " are in order, and it cannot be used as it is";
  if (!diagnosis.isKnown && facts.loads)
    return "what can be seen of " + name +
           " is in order; the target's system is out of reach, so that no more can be said";
  for (int major : facts.required)
    if (llvm::none_of(facts.groups, [&](const auto& group) { return group.major == major; }))
      return "this " + name + " has no libraries for FFmpeg " + std::to_string(major);
  if (!facts.loads && !facts.required.empty())
    for (const GroupReport& group : facts.groups)
      if (facts.isWanted(group) && group.loads == Verdict::Fails)
        return name + " does not load with FFmpeg " + std::to_string(group.major) +
               ", which is required" +
               (facts.wouldLoadAfter ? "; tcfix can repair that" : std::string());
  for (const GroupReport& group : facts.groups)
    if (facts.loads && group.loads == Verdict::Loads && group.major != 0)
      return name + " loads, with FFmpeg " + std::to_string(group.major) +
             (group.ffmpegFolder.empty()
                  ? std::string()
                  : " from " + facts.found.disk.targetPath(group.ffmpegFolder));
  if (facts.loads)
    return name + " loads";
  if (facts.wouldLoadAfter)
    return name + " does not load; tcfix can repair that";
  return name + " does not load, and no edit of its libraries alone can change that";
}

/// A problem's message continues the name of the file.
std::string sentenceOf(const Problem& problem) {
  return llvm::sys::path::filename(problem.path).str() + ": " + problem.message;
}

Diagnosis examine(const std::string& target, const env::Target& found, const env::Package& package,
                  const DoctorOptions& options, Findings& findings) {
  resolve::LibraryStore store(found.disk);
  survey::PackageFacts facts = survey::gatherFacts(found, package, store, options.survey);

  // A plan must hold without the variables of this process; what happens here does not.
  const survey::Simulation plannable(facts, store);
  std::optional<survey::Simulation> asStarted;
  if (!facts.variables.empty())
    asStarted.emplace(facts, store, facts.variables);
  const survey::Simulation& simulation = asStarted ? *asStarted : plannable;
  std::vector<survey::Group> groups = survey::groupsOf(facts);
  const std::map<std::string, Image> judged = judgeLibraries(facts, found.disk);
  std::vector<GroupReport> reports(groups.size());
  parallelFor(groups.size(), hardwareThreads(), [&](size_t i) {
    reports[i] = reportOn(groups[i], facts, simulation, store, judged);
  });
  nameProviders(reports, found.disk);

  plan::PackagePlan planned = plan::planPackage(facts, {}, plannable);
  const bool loads =
      survey::verdictOf(
          groups, [&](size_t i) { return reports[i].loads; }, options.required) != Verdict::Fails;
  Case known{target,
             found,
             facts,
             planned,
             store,
             judged,
             arrange(groups, std::move(reports)),
             options.required,
             loads,
             loadsAfter(planned, groups, options.required, judged, facts.process.arch),
             applyCommandFor(target, options)};
  Findings own;

  for (const Problem& problem : facts.unreadable)
    own.push_back({"unreadable",
                   known.loads ? Severity::Warning : Severity::Error,
                   sentenceOf(problem),
                   problem.path,
                   {},
                   reinstallCommand(package)});
  findVersionMismatch(known, own);
  findLoadProblems(known, own);
  findFfmpegProblems(known, own);
  findPythonProblems(known, own);
  findMacProblems(known, own);
  findPathProblems(known, own);
  findSurroundings(known, own);

  Diagnosis diagnosis;
  diagnosis.isKnown = found.disk.knowsAbsolutePaths();
  diagnosis.isOk = known.loads && llvm::none_of(own, [](const Finding& finding) {
                     return finding.severity == Severity::Error;
                   });
  diagnosis.package = package.name + (package.version.empty() ? "" : " " + package.version);
  diagnosis.summary = summaryOf(known, diagnosis);
  if (!known.loads && known.wouldLoadAfter)
    diagnosis.action = known.applyCommand;
  diagnosis.groups = std::move(known.groups);
  llvm::move(own, std::back_inserter(findings));
  return diagnosis;
}

/// A Python takes the first package of a name that it meets.
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

/// A file that is not torchcodec's, given as the target, stands for itself.
env::Package named(env::Package package, const env::Target& found) {
  llvm::StringRef file = llvm::sys::path::filename(found.environment.root);
  if (found.environment.kind == env::EnvironmentKind::File && package.distInfo.empty() &&
      !file.starts_with(package.recipe.libraryPrefix))
    package.name = file.split('.').first.str();
  return package;
}

} // namespace

llvm::StringRef nameOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Info:
    break;
  }
  return "info";
}

const LoadProblem* GroupReport::firstCause() const {
  for (const LibraryReport& library : libraries)
    if (!library.loads.problems.empty())
      return &library.loads.problems.front();
  return nullptr;
}

llvm::Expected<Diagnosis> diagnose(const std::string& target, const DoctorOptions& options) {
  llvm::Expected<env::Target> found = survey::locate(target, options.survey);
  if (!found)
    return found.takeError();
  Diagnosis whole;
  whole.target = target;
  whole.required = options.required;
  whole.isOk = true;
  Findings findings;
  for (const env::Package& one : found->packages) {
    if (isShadowed(one, *found))
      continue;
    const env::Package package = named(one, *found);
    for (const Problem& problem : package.problems)
      findings.push_back({"package-damaged",
                          Severity::Warning,
                          sentenceOf(problem),
                          problem.path,
                          {},
                          reinstallCommand(package)});
    Diagnosis part = examine(target, *found, package, options, findings);
    whole.isOk &= part.isOk;
    whole.isKnown &= part.isKnown;
    if (whole.summary.empty() || !part.isOk) {
      whole.summary = part.summary;
      whole.action = part.action;
      whole.package = part.package;
    }
    llvm::move(part.groups, std::back_inserter(whole.groups));
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  if (!whole.isOk && whole.action.empty())
    for (const Finding& finding : findings)
      if (!finding.action.empty() && finding.severity != Severity::Info) {
        whole.action = finding.action;
        break;
      }
  whole.findings = std::move(findings);
  return whole;
}

} // namespace tcfix::doctor
