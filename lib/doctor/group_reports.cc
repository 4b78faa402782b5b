// How a package's groups load, as they are and after `tcfix apply`.
#include "doctor/group_reports.h"

#include "base/parallel.h"
#include "recipe/torch_symbols.h"
#include "resolve/explain.h"
#include "resolve/verdict.h"

#include <llvm/Support/Path.h>

namespace tcfix::doctor {

using plan::Regime;
using resolve::Binding;
using resolve::Verdict;

namespace {

std::string folderOfFfmpeg(const plan::GroupLoads& loads) {
  for (const resolve::LoadResult& result : loads.results)
    for (const Binding& binding : result.bindings) {
      std::optional<providers::FfmpegName> name = providers::parseFfmpegName(binding.dependency);
      if (name && name->component == "avcodec" && binding.state == Binding::State::Found)
        return llvm::sys::path::parent_path(binding.provider).str();
    }
  return {};
}

GroupReport reportOn(const plan::Group& group, const plan::Simulation& simulation) {
  plan::GroupLoads preloaded = simulation.load(group, {}, Regime::Preloaded);
  GroupReport report;
  report.major = group.major;
  report.loads = preloaded.verdict;
  report.loadsBare = simulation.load(group, {}, Regime::Bare).verdict;
  report.ffmpegFolder = folderOfFfmpeg(preloaded);
  for (size_t i = 0; i < group.libraries.size(); ++i)
    report.libraries.push_back({group.libraries[i]->path, std::move(preloaded.results[i])});
  return report;
}

// Majors as they are; libraries without one belong together where there are no majors at all.
std::vector<GroupReport> arrange(std::vector<GroupReport> groups) {
  std::vector<GroupReport> result;
  bool hasMajors = llvm::any_of(groups, [](const GroupReport& group) { return group.major != 0; });
  for (GroupReport& group : groups) {
    if (group.major != 0 || (!hasMajors && result.empty())) {
      result.push_back(std::move(group));
    } else if (!hasMajors) {
      result.front().loads = both(result.front().loads, group.loads);
      result.front().loadsBare = both(result.front().loadsBare, group.loadsBare);
      llvm::move(group.libraries, std::back_inserter(result.front().libraries));
    }
  }
  return result;
}

/// A group's major, and whether it loads.
using GroupVerdict = std::pair<int, bool>;

bool suffices(std::vector<GroupVerdict> groups, llvm::ArrayRef<int> required) {
  auto isLoading = [](const GroupVerdict& group) { return group.second; };
  bool hasMajors = llvm::any_of(groups, [](const GroupVerdict& group) { return group.first != 0; });
  if (!hasMajors)
    return required.empty() && llvm::all_of(groups, isLoading);
  llvm::erase_if(groups, [](const GroupVerdict& group) { return group.first == 0; });
  return llvm::any_of(groups, isLoading) && llvm::all_of(required, [&](int major) {
           return llvm::is_contained(groups, GroupVerdict(major, true));
         });
}

} // namespace

std::vector<GroupReport> reportGroups(const plan::PackageFacts& facts,
                                      resolve::LibraryStore& store) {
  resolve::ExplainOptions explaining;
  if (facts.torch) {
    explaining.owners = torchLibrariesOf(facts);
    explaining.mainOwner = mainTorchLibraryOf(facts);
    explaining.isOwned = [](llvm::StringRef symbol) {
      return recipe::torchSpanOf(symbol.str()).since.isKnown();
    };
  }
  plan::Simulation simulation(facts, store, std::move(explaining));
  std::vector<plan::Group> groups = plan::groupsOf(facts);
  std::vector<GroupReport> reports(groups.size());
  parallelFor(groups.size(), hardwareThreads(),
              [&](size_t i) { reports[i] = reportOn(groups[i], simulation); });
  return arrange(std::move(reports));
}

bool loadsNow(llvm::ArrayRef<GroupReport> groups, llvm::ArrayRef<int> required) {
  std::vector<GroupVerdict> verdicts;
  for (const GroupReport& group : groups)
    verdicts.emplace_back(group.major, group.loads != Verdict::Fails);
  return suffices(std::move(verdicts), required);
}

bool loadsAfter(const plan::PackagePlan& planned, llvm::ArrayRef<int> required,
                llvm::StringRef arch, resolve::LibraryStore& store) {
  std::vector<GroupVerdict> verdicts;
  for (const plan::GroupPlan& plan : planned.groups)
    verdicts.emplace_back(
        plan.group.major,
        plan.preloaded.verdict == Verdict::Loads &&
            llvm::none_of(plan.group.libraries, [&](const plan::LibraryFacts* library) {
              return resolve::refusalOf(library->path, arch, store).has_value();
            }));
  return suffices(std::move(verdicts), required);
}

} // namespace tcfix::doctor
