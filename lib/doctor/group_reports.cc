// How a package's groups load, now and after `tcfix apply`.
#include "doctor/group_reports.h"

#include "recipe/cuda_name.h"
#include "recipe/torch_symbols.h"
#include "resolve/verdict.h"

#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::doctor {

using resolve::Binding;
using resolve::Verdict;

namespace {

std::string folderOfFfmpeg(const survey::GroupLoads& loads) {
  for (const resolve::LoadResult& result : loads.results)
    for (const Binding& binding : result.bindings) {
      std::optional<providers::FfmpegName> name = providers::parseFfmpegName(binding.dependency);
      if (name && name->component == "avcodec" && binding.state == Binding::State::Found)
        return llvm::sys::path::parent_path(binding.provider).str();
    }
  return {};
}

GroupReport reportOn(const survey::Group& group, survey::GroupLoads preloaded) {
  GroupReport report;
  report.major = group.major;
  report.isOnDemand = group.need == survey::Group::Need::OnDemand;
  report.loads = preloaded.verdict;
  report.ffmpegFolder = folderOfFfmpeg(preloaded);
  for (size_t i = 0; i < group.libraries.size(); ++i)
    report.libraries.push_back({group.libraries[i]->path, std::move(preloaded.results[i])});
  return report;
}

} // namespace

resolve::ExplainOptions explainOptionsFor(const survey::PackageFacts& facts) {
  resolve::ExplainOptions explaining;
  if (facts.torch && facts.isAfterTorch) {
    explaining.owners = facts.torchLibraries();
    explaining.mainOwner = facts.mainTorchLibrary();
    explaining.isOwned = [](llvm::StringRef symbol) {
      return recipe::torchSpanOf(symbol.str()).since.isKnown();
    };
  }
  return explaining;
}

std::vector<GroupReport> reportGroups(const survey::PackageFacts& facts,
                                      llvm::ArrayRef<survey::Group> groups,
                                      resolve::LibraryStore& store, bool withBare) {
  const survey::Simulation simulation(facts, store, facts.variables, explainOptionsFor(facts));
  survey::PackageLoads loads = simulation.loadAll(groups, withBare);
  std::vector<GroupReport> reports;
  for (size_t i = 0; i < groups.size(); ++i) {
    reports.push_back(reportOn(groups[i], std::move(loads.preloaded[i])));
    if (withBare)
      reports.back().loadsBare = loads.bare[i].verdict;
  }
  return reports;
}

void countAsLoaded(std::vector<GroupReport>& reports, const io::TargetDisk& disk) {
  std::set<std::string> loaded;
  for (const GroupReport& report : reports)
    if (!report.isOnDemand && report.loads == Verdict::Loads)
      for (const LibraryReport& library : report.libraries)
        for (const Binding& binding : library.loads.bindings)
          if (binding.state == Binding::State::Found)
            loaded.insert(disk.realPath(binding.provider).value_or(binding.provider));
  for (GroupReport& report : reports) {
    LibraryReport& library = report.libraries.front();
    if (report.isOnDemand && report.loads == Verdict::Fails &&
        loaded.count(disk.realPath(library.path).value_or(library.path))) {
      report.loads = library.loads.verdict = Verdict::Loads;
      library.loads.problems.clear();
    }
  }
}

void markImprovable(std::vector<GroupReport>& reports, const plan::PackagePlan& planned) {
  for (size_t i = 0; i < reports.size(); ++i)
    reports[i].isImprovable =
        reports[i].loads == Verdict::Fails && isWorthAWarning(reports[i]) &&
        plan::lacksNothingHere(planned.groups[i].preloaded, reports[i].isOnDemand);
}

bool isWorthAWarning(const GroupReport& onDemand) {
  return llvm::any_of(onDemand.libraries, [](const LibraryReport& library) {
    return llvm::any_of(library.loads.problems, [](const resolve::LoadProblem& problem) {
      return problem.code != resolve::LoadProblem::Code::MissingSymbols &&
             !recipe::isOfNvidiaDriver(problem.dependency);
    });
  });
}

Census countLibraries(llvm::ArrayRef<survey::Group> groups, llvm::ArrayRef<GroupReport> reports) {
  Census census;
  census.areModules = true;
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t j = 0; j < groups[i].libraries.size(); ++j) {
      const bool isOnDemand = groups[i].need == survey::Group::Need::OnDemand;
      const bool fails = reports[i].libraries[j].loads.verdict == Verdict::Fails &&
                         (!isOnDemand || isWorthAWarning(reports[i]));
      (isOnDemand ? census.onDemand : census.needed) += 1;
      (isOnDemand ? census.failingOnDemand : census.failingNeeded) += fails;
      census.areModules &= isOnDemand || groups[i].libraries[j]->isModule;
    }
  census.areModules &= census.needed > 0;
  return census;
}

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

Verdict verdictNow(llvm::ArrayRef<survey::Group> groups, llvm::ArrayRef<GroupReport> reports,
                   llvm::ArrayRef<int> required) {
  return survey::verdictOf(groups, [&](size_t i) { return reports[i].loads; }, required);
}

bool loadsAfter(const plan::PackagePlan& planned, llvm::ArrayRef<survey::Group> groups,
                llvm::ArrayRef<int> required, const survey::PackageFacts& facts,
                resolve::LibraryStore& store) {
  auto verdict = [&](size_t i) {
    const plan::GroupPlan& plan = planned.groups[i];
    bool isRefused = llvm::any_of(plan.group.libraries, [&](const survey::LibraryFacts* library) {
      return resolve::refusalOf(library->path, facts.process.arch, store).has_value();
    });
    return isRefused || plan.preloaded.verdict != Verdict::Loads ? Verdict::Fails : Verdict::Loads;
  };
  return survey::verdictOf(groups, verdict, required) == Verdict::Loads;
}

} // namespace tcfix::doctor
