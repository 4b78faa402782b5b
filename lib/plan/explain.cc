#include "plan/explain.h"

#include "advice/advice.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <set>

namespace tcfix::plan {

namespace {

// A directory given by the user is used if any major in it is used.
void addUnusedFfmpegs(const PackageFacts& facts, const PackagePlan& plan,
                      llvm::function_ref<bool(const providers::FfmpegInstall&)> isNamed,
                      std::vector<std::string>& warnings) {
  std::set<std::string> used, reported;
  for (size_t i = 0; i < facts.ffmpegs.size(); ++i)
    if (!plan.ffmpegs[i].chosenFor.empty())
      used.insert(facts.ffmpegs[i].description);
  for (size_t i = 0; i < facts.ffmpegs.size(); ++i) {
    const std::string& name = facts.ffmpegs[i].description;
    if (isNamed(facts.ffmpegs[i]) && !used.count(name) && reported.insert(name).second)
      warnings.push_back("FFmpeg in " + name + " is not used: " + plan.ffmpegs[i].reason);
  }
}

/// The command that installs a PyAV whose FFmpeg has one of the libraries' majors.
std::string pyavCommand(const PackageFacts& facts) {
  std::vector<int> majors;
  for (const LibraryFacts& library : facts.libraries)
    if (std::optional<int> major = ffmpegMajorOf(library))
      majors.push_back(*major);
  advice::Context context;
  context.package = facts.package.name;
  context.release = facts.package.version;
  return pyavInstallCommand(context, majors);
}

} // namespace

void explainChoices(const PackageFacts& facts, const io::TargetDisk& disk, PackagePlan& plan) {
  for (size_t i = 0; i < plan.ffmpegs.size(); ++i) {
    const providers::FfmpegInstall& install = facts.ffmpegs[i];
    FfmpegChoice& choice = plan.ffmpegs[i];
    for (const GroupPlan& one : plan.groups)
      if (one.ffmpeg == i || (!one.ffmpegFolder.empty() && one.ffmpegFolder == install.folder))
        for (const LibraryFacts* library : one.group.libraries)
          choice.chosenFor.push_back(library->path);
    if (!choice.reason.empty())
      continue;
    if (install.isOnTrust) {
      choice.reason = "requested; cannot be checked on this machine";
      continue;
    }
    auto group = llvm::find_if(
        plan.groups, [&](const GroupPlan& one) { return one.group.major == install.major; });
    if (group != plan.groups.end() && group->ffmpeg == i)
      choice.reason = "the first that loads, in order of preference";
    else if (!install.defect.empty())
      choice.reason = install.defect;
    else if (group == plan.groups.end())
      choice.reason =
          "this " + facts.package.name + " does not use FFmpeg " + std::to_string(install.major);
    else if (group->ffmpegFolder == install.folder)
      choice.reason = "found without a change";
    else if (group->ffmpeg)
      choice.reason = facts.ffmpegs[*group->ffmpeg].description + " is preferred";
    else if (!group->ffmpegFolder.empty())
      choice.reason = "the libraries already find FFmpeg " + std::to_string(install.major) +
                      " in " + disk.targetPath(group->ffmpegFolder);
    else
      choice.reason = "not requested";
  }
}

std::vector<std::string> warningsAbout(const Request& request, const PackageFacts& facts,
                                       const PackagePlan& plan, const Simulation& simulation) {
  std::vector<std::string> warnings;
  // A literal entry is written even if it has no effect, with a warning.
  auto isIdle = [&](const std::string& entry) {
    return llvm::none_of(plan.groups, [&](const GroupPlan& group) {
      return llvm::any_of(group.drafts, [&](const Draft& draft) {
        return findsAnyDependency(entry, draft, simulation);
      });
    });
  };
  for (const std::string& entry : request.searchPaths)
    if (isOnThisMachine(entry, simulation.disk()) && isIdle(entry))
      warnings.push_back(entry + " contains none of the dependencies of " + facts.package.name);
  for (const GroupPlan& group : plan.groups)
    if (group.refusesEntries)
      warnings.push_back("not written, because it would keep " +
                         group.group.libraries.front()->name +
                         " from loading: " + llvm::join(request.searchPaths, ", "));
  bool asksForFfmpeg = llvm::any_of(facts.libraries, [](const LibraryFacts& library) {
    return ffmpegMajorOf(library).has_value();
  });
  if (!asksForFfmpeg || request.ffmpeg == Request::Ffmpeg::None)
    return warnings;
  bool wantsPyav = request.ffmpeg == Request::Ffmpeg::Pyav;
  auto isPyav = [](const providers::FfmpegInstall& one) {
    return one.source == providers::FfmpegSource::Pyav;
  };
  if (wantsPyav && llvm::none_of(facts.ffmpegs, isPyav))
    warnings.push_back("PyAV is not installed in this environment: " + pyavCommand(facts));
  addUnusedFfmpegs(
      facts, plan,
      [&](const providers::FfmpegInstall& one) {
        return one.source == providers::FfmpegSource::Option ||
               one.source == providers::FfmpegSource::Variable || (wantsPyav && isPyav(one));
      },
      warnings);
  return warnings;
}

} // namespace tcfix::plan
