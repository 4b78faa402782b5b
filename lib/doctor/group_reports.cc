// How a package's groups load, as they are and after `tcfix apply`.
#include "doctor/group_reports.h"

#include "base/parallel.h"
#include "recipe/torch_symbols.h"
#include "resolve/verdict.h"

#include <llvm/Support/Path.h>

namespace tcfix::doctor {

using resolve::Binding;
using resolve::Verdict;
using survey::Regime;

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

GroupReport reportOn(const survey::Group& group, const survey::Simulation& simulation) {
  survey::GroupLoads preloaded = simulation.load(group, {}, Regime::Preloaded);
  GroupReport report;
  report.major = group.major;
  report.loads = preloaded.verdict;
  report.loadsBare = simulation.load(group, {}, Regime::Bare).verdict;
  report.ffmpegFolder = folderOfFfmpeg(preloaded);
  for (size_t i = 0; i < group.libraries.size(); ++i)
    report.libraries.push_back({group.libraries[i]->path, std::move(preloaded.results[i])});
  return report;
}

} // namespace

resolve::ExplainOptions explainOptionsFor(const survey::PackageFacts& facts) {
  resolve::ExplainOptions explaining;
  if (facts.torch) {
    explaining.owners = torchLibrariesOf(facts);
    explaining.mainOwner = mainTorchLibraryOf(facts);
    explaining.isOwned = [](llvm::StringRef symbol) {
      return recipe::torchSpanOf(symbol.str()).since.isKnown();
    };
  }
  return explaining;
}

std::vector<GroupReport> reportGroups(const survey::PackageFacts& facts,
                                      llvm::ArrayRef<survey::Group> groups,
                                      resolve::LibraryStore& store) {
  survey::Simulation simulation(facts, store, facts.variables, explainOptionsFor(facts));
  std::vector<GroupReport> reports(groups.size());
  parallelFor(groups.size(), hardwareThreads(),
              [&](size_t i) { reports[i] = reportOn(groups[i], simulation); });
  return reports;
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

bool loadsNow(llvm::ArrayRef<survey::Group> groups, llvm::ArrayRef<GroupReport> reports,
              llvm::ArrayRef<int> required) {
  return survey::verdictOf(
             groups, [&](size_t i) { return reports[i].loads; }, required) != Verdict::Fails;
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
