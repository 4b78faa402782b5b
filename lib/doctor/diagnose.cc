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

using plan::GroupLoads;
using plan::Regime;
using resolve::Binding;
using resolve::LoadProblem;
using resolve::Verdict;

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

GroupReport reportOn(const plan::Group& group, const plan::PackageFacts& facts,
                     const plan::Simulation& simulation, resolve::LibraryStore& store,
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

// Majors as they are; libraries without one belong together where there are no majors at all.
std::vector<GroupReport> arrange(std::vector<GroupReport> groups) {
  std::vector<GroupReport> result;
  bool hasMajors = llvm::any_of(groups, [](const GroupReport& group) { return group.major != 0; });
  for (GroupReport& group : groups) {
    if (group.major != 0) {
      result.push_back(std::move(group));
    } else if (!hasMajors) {
      if (result.empty()) {
        result.push_back(std::move(group));
        continue;
      }
      result.front().loads = both(result.front().loads, group.loads);
      result.front().loadsBare = both(result.front().loadsBare, group.loadsBare);
      llvm::move(group.libraries, std::back_inserter(result.front().libraries));
    }
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

/// Whether enough loads, of which `isLoading` tells by major.
bool suffices(llvm::ArrayRef<int> required, llvm::ArrayRef<int> majors,
              llvm::function_ref<bool(size_t index)> isLoading) {
  bool hasMajors = llvm::any_of(majors, [](int major) { return major != 0; });
  bool isAny = false, isAll = true;
  std::vector<int> loading;
  for (size_t i = 0; i < majors.size(); ++i)
    if (!hasMajors || majors[i] != 0) {
      isAny |= isLoading(i);
      isAll &= isLoading(i);
      if (isLoading(i))
        loading.push_back(majors[i]);
    }
  return (hasMajors ? isAny : isAll) &&
         llvm::all_of(required, [&](int major) { return llvm::is_contained(loading, major); });
}

bool loadsNow(llvm::ArrayRef<GroupReport> groups, llvm::ArrayRef<int> required) {
  std::vector<int> majors;
  for (const GroupReport& group : groups)
    majors.push_back(group.major);
  return suffices(required, majors, [&](size_t i) { return groups[i].loads != Verdict::Fails; });
}

bool loadsAfter(const plan::PackagePlan& planned, llvm::ArrayRef<int> required,
                const std::map<std::string, Image>& judged, llvm::StringRef arch) {
  std::vector<int> majors;
  for (const plan::GroupPlan& group : planned.groups)
    majors.push_back(group.group.major);
  return suffices(required, majors, [&](size_t i) {
    const plan::GroupPlan& plan = planned.groups[i];
    return plan.preloaded.verdict == Verdict::Loads &&
           llvm::none_of(plan.group.libraries, [&](const plan::LibraryFacts* library) {
             auto image = judged.find(library->path);
             return image != judged.end() && refusalOf(library->path, image->second, arch);
           });
  });
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
  std::vector<Problem> unreadable;
  plan::SurveyOptions seen = options.survey;
  seen.usesLoaderVariables = true;
  plan::PackageFacts facts = plan::gatherFacts(found, package, store, seen, unreadable);

  plan::Simulation simulation(facts, store);
  std::vector<plan::Group> groups = plan::groupsOf(facts);
  const std::map<std::string, Image> judged = judgeLibraries(facts, found.disk);
  std::vector<GroupReport> reports(groups.size());
  parallelFor(groups.size(), hardwareThreads(), [&](size_t i) {
    reports[i] = reportOn(groups[i], facts, simulation, store, judged);
  });
  nameProviders(reports, found.disk);

  // A plan must hold without the variables of this process.
  plan::PackageFacts plannable = facts;
  plannable.process.environment.clear();
  plan::PackagePlan planned = plan::planPackage(plannable, {}, store);
  Case known{target,
             found,
             facts,
             planned,
             store,
             judged,
             arrange(std::move(reports)),
             options.required,
             false,
             loadsAfter(planned, options.required, judged, facts.process.arch),
             applyCommandFor(target, options)};
  known.loads = loadsNow(known.groups, options.required);
  Findings own;

  for (const Problem& problem : unreadable)
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
      !file.starts_with(env::torchcodecQuery().libraryPrefix))
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
  llvm::Expected<env::Target> found = plan::locate(target, options.survey);
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
