#include "plan/plan.h"

#include "base/parallel.h"
#include "plan/explain.h"
#include "providers/ffmpeg_places.h"
#include "recipe/cuda_name.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <tuple>

namespace tcfix::plan {

using resolve::Binding;
using resolve::LoadResult;
using resolve::Verdict;

namespace {

int worth(Verdict verdict) {
  return verdict == Verdict::Loads ? 2 : verdict == Verdict::Unknown ? 1 : 0;
}

/// How good a plan is; the fields are compared in order.
struct Score {
  bool isWorse = false; ///< something that loaded stops loading
  int bare = 0, preloaded = 0;
  int unresolved = 0; ///< dependencies that are not found

  auto key() const { return std::make_tuple(!isWorse, bare, preloaded, -unresolved); }
};

struct Proposal {
  std::vector<Draft> drafts;
  std::optional<size_t> ffmpeg;
  GroupLoads bare, preloaded;
  Score score;
};

int totalWorth(const GroupLoads& loads) {
  int sum = 0;
  for (const LoadResult& result : loads.results)
    sum += worth(result.verdict);
  return sum;
}

bool isWorse(const GroupLoads& now, const GroupLoads& before) {
  for (size_t i = 0; i < now.results.size(); ++i)
    if (worth(now.results[i].verdict) < worth(before.results[i].verdict))
      return true;
  return false;
}

/// Plans one group.
class Planner {
public:
  Planner(const PackageFacts& facts, const Request& request, const Simulation& simulation,
          const Group& group)
      : facts(facts), request(request), simulation(simulation), group(group),
        isPortableElf(facts.platform == Platform::Linux &&
                      !simulation.disk().knowsAbsolutePaths()) {}

  GroupPlan run(std::vector<FfmpegChoice>& choices);

private:
  /// The installer's state; simulated on first use.
  struct Before {
    GroupLoads bare, preloaded;
  };
  const Before& before();
  bool makesWorse(const Proposal& proposal);
  Proposal nothing();

  std::vector<std::optional<size_t>> candidates() const;
  Proposal propose(std::optional<size_t> ffmpeg, std::optional<SearchPathKind> kind);
  void evaluate(Proposal& proposal);
  void prepareForLater(Proposal& best);
  Proposal bestKind(std::optional<size_t> ffmpeg);
  std::string folderOfFfmpeg(const Proposal& proposal) const;

  const PackageFacts& facts;
  const Request& request;
  const Simulation& simulation;
  const Group& group;
  const bool isPortableElf; ///< on an unknown disk, as in a wheel
  std::optional<Before> known;
};

const Planner::Before& Planner::before() {
  if (!known)
    known = {simulation.load(group, originalsOf(group), Regime::Bare),
             simulation.load(group, originalsOf(group), Regime::Preloaded)};
  return *known;
}

bool Planner::makesWorse(const Proposal& proposal) {
  auto isPerfect = [](const GroupLoads& loads) { return loads.verdict == Verdict::Loads; };
  if (isPerfect(proposal.bare) && isPerfect(proposal.preloaded))
    return false;
  return isWorse(proposal.bare, before().bare) || isWorse(proposal.preloaded, before().preloaded);
}

// The installs of this group's major, in the order of preference. Nothing means "what it finds by
// itself", which comes after the user's choices and before what tcfix found.
std::vector<std::optional<size_t>> Planner::candidates() const {
  std::optional<int> major;
  for (const LibraryFacts* library : group.libraries)
    if (!major)
      major = ffmpegMajorOf(*library);
  std::vector<std::optional<size_t>> named, ofVariable, found;
  if (major && request.ffmpeg != Request::Ffmpeg::None)
    for (size_t i = 0; i < facts.ffmpegs.size(); ++i) {
      const providers::FfmpegInstall& install = facts.ffmpegs[i];
      if (!install.defect.empty() || (install.major != *major && !install.isOnTrust))
        continue;
      bool isNamed = install.source == providers::FfmpegSource::Option ||
                     (request.ffmpeg == Request::Ffmpeg::Pyav &&
                      install.source == providers::FfmpegSource::Pyav);
      bool isOfVariable = install.source == providers::FfmpegSource::Variable;
      (isNamed ? named : isOfVariable ? ofVariable : found).push_back(i);
    }
  named.insert(named.end(), ofVariable.begin(), ofVariable.end());
  named.push_back(std::nullopt);
  named.insert(named.end(), found.begin(), found.end());
  return named;
}

/// The bare regime has been simulated; simulates the preloaded one and sets the score.
void Planner::evaluate(Proposal& proposal) {
  proposal.preloaded = simulation.load(group, overridesOf(proposal.drafts), Regime::Preloaded);
  Score& score = proposal.score = {};
  score.isWorse = makesWorse(proposal);
  score.bare = totalWorth(proposal.bare);
  score.preloaded = totalWorth(proposal.preloaded);
  for (const LoadResult& result : proposal.bare.results)
    score.unresolved +=
        static_cast<int>(llvm::count_if(result.bindings, [](const Binding& binding) {
          return binding.state == Binding::State::Missing ||
                 binding.state == Binding::State::Unknown;
        }));
}

Proposal Planner::propose(std::optional<size_t> ffmpeg, std::optional<SearchPathKind> kind) {
  Proposal proposal;
  for (const LibraryFacts* library : group.libraries) {
    Draft& draft = proposal.drafts.emplace_back(facts, *library, kind);
    addLiteralEntries(draft, request, facts, simulation);
    addPathToTorch(draft, facts, simulation);
    if (ffmpeg && !findsFfmpegByLiteralEntries(draft, request, simulation)) {
      addPathToFfmpeg(draft, facts, simulation, facts.ffmpegs[*ffmpeg]);
      proposal.ffmpeg = ffmpeg;
    }
    if (!isPortableElf)
      dropLibpython(draft, facts, simulation);
  }
  proposal.bare = addPathsToOthers(proposal.drafts, group, facts, simulation);
  if (isPortableElf) {
    const bool isPyavs = ffmpeg && facts.ffmpegs[*ffmpeg].source == providers::FfmpegSource::Pyav;
    for (Draft& draft : proposal.drafts)
      finishPortableElf(draft, isPyavs);
    proposal.bare = simulation.load(group, overridesOf(proposal.drafts), Regime::Bare);
  }
  evaluate(proposal);
  return proposal;
}

// ELF has two kinds of search path. Keep the current one, or RUNPATH, unless only the other kind
// loads.
Proposal Planner::bestKind(std::optional<size_t> ffmpeg) {
  Proposal kept = propose(ffmpeg, std::nullopt);
  if (isPortableElf)
    return kept;
  std::optional<SearchPathKind> present;
  for (const Draft& draft : kept.drafts)
    present = present ? present : draft.wanted().searchPathKind;
  if (!present || (kept.bare.verdict == Verdict::Loads && kept.preloaded.verdict == Verdict::Loads))
    return kept;
  Proposal changed = propose(ffmpeg, present == SearchPathKind::Rpath ? SearchPathKind::Runpath
                                                                      : SearchPathKind::Rpath);
  return changed.score.key() > kept.score.key() ? changed : kept;
}

// The provider is a path without links; the path of an install is more stable.
std::string Planner::folderOfFfmpeg(const Proposal& proposal) const {
  const io::TargetDisk& disk = simulation.disk();
  auto leadsTo = [&](const providers::FfmpegInstall& install, const std::string& provider) {
    auto file = install.files.find("avcodec");
    return file != install.files.end() &&
           disk.realPath(install.folder + "/" + file->second) == disk.realPath(provider);
  };
  for (const LoadResult& result : proposal.preloaded.results)
    for (const Binding& binding : result.bindings) {
      std::optional<providers::FfmpegName> name = providers::parseFfmpegName(binding.dependency);
      if (!name || name->component != "avcodec" || binding.state != Binding::State::Found)
        continue;
      if (proposal.ffmpeg && leadsTo(facts.ffmpegs[*proposal.ffmpeg], binding.provider))
        return facts.ffmpegs[*proposal.ffmpeg].folder;
      for (const providers::FfmpegInstall& install : facts.ffmpegs)
        if (leadsTo(install, binding.provider))
          return install.folder;
      return providers::lastingPath(llvm::sys::path::parent_path(binding.provider).str(), disk);
    }
  return {};
}

// If the search path already contains something, it must do no harm.
void Planner::prepareForLater(Proposal& best) {
  std::vector<Draft> drafts = best.drafts;
  bool mustEvaluate = false;
  for (size_t i = 0; i < drafts.size(); ++i)
    mustEvaluate |= addPathToStandingPlace(drafts[i], request, facts, best.bare.results[i].bindings,
                                           simulation.disk());
  if (!mustEvaluate) {
    best.drafts = std::move(drafts);
    return;
  }
  Proposal prepared{std::move(drafts), best.ffmpeg, {}, {}, {}};
  prepared.bare = simulation.load(group, overridesOf(prepared.drafts), Regime::Bare);
  evaluate(prepared);
  if (!(prepared.score.key() < best.score.key()))
    best = std::move(prepared);
}

// The installer's state.
Proposal Planner::nothing() {
  Proposal proposal;
  for (const LibraryFacts* library : group.libraries)
    proposal.drafts.emplace_back(facts, *library);
  proposal.bare = before().bare;
  proposal.preloaded = before().preloaded;
  return proposal;
}

GroupPlan Planner::run(std::vector<FfmpegChoice>& choices) {
  if (request.onlyWhatFails && before().preloaded.verdict != Verdict::Fails) {
    Proposal loading = nothing();
    return {group,
            std::move(loading.drafts),
            {},
            folderOfFfmpeg(loading),
            std::move(loading.bare),
            std::move(loading.preloaded)};
  }
  std::optional<Proposal> best;
  for (std::optional<size_t> ffmpeg : candidates()) {
    Proposal proposal = bestKind(ffmpeg);
    if (ffmpeg && choices[*ffmpeg].reason.empty() && proposal.bare.verdict == Verdict::Fails)
      for (const LoadResult& result : proposal.bare.results)
        if (choices[*ffmpeg].reason.empty() && !result.problems.empty())
          choices[*ffmpeg].reason = "would not load: " + result.problems.front().message;
    if (!best || proposal.score.key() > best->score.key())
      best = std::move(proposal);
    // Candidates are in the order of preference, so the first that loads is used. An FFmpeg given
    // by the user that cannot be checked on this machine is assumed to load.
    bool isTrusted = best->ffmpeg && facts.ffmpegs[*best->ffmpeg].isOnTrust;
    if (best->bare.verdict == (isTrusted ? Verdict::Unknown : Verdict::Loads) &&
        !best->score.isWorse)
      break;
  }
  // No FFmpeg was chosen, but one may be installed later.
  if (!best->ffmpeg && best->bare.verdict != Verdict::Loads && facts.standingPlace.exists())
    prepareForLater(*best);
  if (best->score.isWorse && !request.searchPaths.empty()) {
    // The user's entries would break it; plan without them.
    Request rest = request;
    rest.searchPaths.clear();
    GroupPlan plan = Planner(facts, rest, simulation, group).run(choices);
    plan.refusesEntries = true;
    return plan;
  }
  // No edit improves the current state.
  if (best->score.isWorse ||
      (request.onlyWhatFails &&
       !lacksNothingHere(best->preloaded, group.need == Group::Need::OnDemand)))
    best = nothing();
  if (best->ffmpeg)
    choices[*best->ffmpeg].reason.clear();
  GroupPlan plan{group,
                 std::move(best->drafts),
                 best->ffmpeg,
                 folderOfFfmpeg(*best),
                 std::move(best->bare),
                 std::move(best->preloaded)};
  return plan;
}

} // namespace

bool lacksNothingHere(const GroupLoads& loads, bool isOnDemand) {
  using Code = resolve::LoadProblem::Code;
  return llvm::all_of(loads.results, [&](const LoadResult& result) {
    return llvm::all_of(result.problems, [&](const resolve::LoadProblem& problem) {
      return (problem.code == Code::MissingDependency &&
              recipe::isOfNvidiaDriver(problem.dependency)) ||
             (problem.code == Code::MissingSymbols && isOnDemand);
    });
  });
}

bool PackagePlan::hasEdits() const {
  return llvm::any_of(groups, [](const GroupPlan& group) {
    return llvm::any_of(group.drafts, [](const Draft& draft) { return !draft.edits().empty(); });
  });
}

survey::PackageLoads PackagePlan::takeLoads() {
  survey::PackageLoads loads;
  for (GroupPlan& group : groups) {
    loads.preloaded.push_back(std::move(group.preloaded));
    loads.bare.push_back(std::move(group.bare));
  }
  return loads;
}

PackagePlan planPackage(const PackageFacts& facts, const Request& request,
                        const Simulation& simulation) {
  std::vector<Group> groups = groupsOf(facts);
  std::vector<std::vector<FfmpegChoice>> choices(groups.size(),
                                                 std::vector<FfmpegChoice>(facts.ffmpegs.size()));
  std::vector<std::optional<GroupPlan>> planned(groups.size());
  parallelFor(groups.size(), hardwareThreads(), [&](size_t i) {
    planned[i] = Planner(facts, request, simulation, groups[i]).run(choices[i]);
  });
  PackagePlan plan;
  plan.ffmpegs.resize(facts.ffmpegs.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    plan.groups.push_back(std::move(*planned[i]));
    for (size_t install = 0; install < facts.ffmpegs.size(); ++install) {
      FfmpegChoice& choice = plan.ffmpegs[install];
      if (choice.reason.empty())
        choice.reason = choices[i][install].reason;
    }
  }
  explainChoices(facts, simulation.disk(), plan);
  plan.warnings = warningsAbout(request, facts, plan, simulation);
  return plan;
}

} // namespace tcfix::plan
