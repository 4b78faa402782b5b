#include "apply/apply.h"

#include "apply/library_stage.h"
#include "base/parallel.h"
#include "commit/locks.h"
#include "env/distribution.h"
#include "image/names.h"
#include "io/host.h"
#include "resolve/verdict.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/Path.h>

namespace tcfix::apply {

using plan::GroupPlan;
using resolve::Verdict;
using survey::GroupLoads;

namespace {

/// A run for one package.
class PackageRun {
public:
  PackageRun(const env::Target& target, const env::Package& package, const ApplyOptions& options)
      : target(target), package(package), options(options), disk(target.disk),
        place(journalOf(package)) {}

  llvm::Error run(const commit::Locks& locks);
  void report(TargetOutcome& outcome);
  /// Loads the current files with the environment's own Python.
  llvm::Expected<trial::Trial> tryOut(const trial::TrialOptions& how);
  /// Locks the directories that the run writes to; none in a dry run.
  commit::Locks lock(io::Notify notify) const;

private:
  void openLibraries(const commit::Locks& locks);
  void takeReplacement(LibraryWork& work);
  void plan();
  /// Makes the new bytes of the libraries that differ from the plan.
  void rewrite();
  std::optional<commit::CommitFailure> write(const commit::Locks& locks);
  LibraryWork* find(const std::string& path);

  const env::Target& target;
  const env::Package& package;
  const ApplyOptions& options;
  io::TargetDisk disk;
  JournalPlace place;
  PackageState state;
  std::vector<std::unique_ptr<LibraryWork>> works;
  std::optional<resolve::LibraryStore> present; ///< every library as it was before this run
  std::optional<resolve::LibraryStore> rebuilt; ///< the same after --replace-from, if that differs
  survey::PackageFacts facts;
  std::vector<survey::Group> groups;
  std::optional<survey::Simulation> simulation; ///< of the files that the plan starts from
  plan::PackagePlan planned;
  std::map<std::string, const plan::Draft*> drafts; ///< by path, into the plan
  bool hasRebuilt = false;                          ///< a replacement exists
  /// Often the same object; null: unknown.
  std::shared_ptr<const survey::PackageLoads> before, after;
  std::vector<Problem> warnings;
};

// A link to another library of the package needs no edit of its own.
bool isAlias(const env::Package& package, const std::string& path, const io::TargetDisk& disk) {
  if (!disk.isLink(path))
    return false;
  std::optional<std::string> real = disk.realPath(path);
  return real && llvm::any_of(package.libraries, [&](const std::string& other) {
           return other != path && !disk.isLink(other) && disk.realPath(other) == real;
         });
}

void PackageRun::openLibraries(const commit::Locks& locks) {
  for (const std::string& path : package.libraries) {
    if (isAlias(package, path, disk))
      continue;
    LibraryWork& work = *works.emplace_back(std::make_unique<LibraryWork>());
    work.path = path;
    work.outcome.path = path;
    llvm::Error refused = options.isWriting ? locks.check(path) : llvm::Error::success();
    if (refused) {
      work.fail(toProblem(std::move(refused), path));
      continue;
    }
    work.input = present->file(path);
    if (!work.input) {
      Problem problem = toProblem(present->image(path).takeError(), path);
      if (problem.code == ErrorCode::NotFound) // the target exists; this is one of its files
        problem = {ErrorCode::Unreadable, "is a broken link", path, {}};
      work.fail(std::move(problem));
      continue;
    }
    if (llvm::Error error = findHistory(work, state.journal, relativeTo(place, path)))
      work.fail(toProblem(std::move(error), path));
    else if (!options.replaceFrom.empty())
      takeReplacement(work);
  }
  if (!options.replaceFrom.empty() && !hasRebuilt)
    warnings.push_back({std::nullopt, "contains none of the libraries of " + package.name,
                        options.replaceFrom, "--replace-from needs files with the same names"});
}

/// "ELF for aarch64".
std::string machineOf(const Image& image) {
  return formats::nameOf(image.format).str() + " for " + architecturesOf(image);
}

bool isForSameMachine(const Image& one, const Image& other) {
  return one.format == other.format && llvm::any_of(one.slices, [&](const Slice& slice) {
           return llvm::any_of(other.slices,
                               [&](const Slice& twin) { return twin.arch == slice.arch; });
         });
}

void PackageRun::takeReplacement(LibraryWork& work) {
  std::string name = llvm::sys::path::filename(work.path).str();
  llvm::Expected<io::InputFile> rebuilt = io::InputFile::open(options.replaceFrom + "/" + name);
  if (!rebuilt) {
    Problem problem = toProblem(rebuilt.takeError(), options.replaceFrom + "/" + name);
    if (problem.code != ErrorCode::NotFound) {
      hasRebuilt = true;
      work.fail(std::move(problem));
    }
    return;
  }
  hasRebuilt = true;
  if (work.base() == rebuilt->bytes())
    return; // already in place
  llvm::Expected<const Image*> old = present->image(work.path);
  llvm::Expected<Image> image =
      formats::inspect(rebuilt->bytes(), {/*withSymbols=*/false, /*isThorough=*/false});
  const bool isMisfit = old && image && !isForSameMachine(**old, *image);
  if (isMisfit)
    work.fail({ErrorCode::Unsupported,
               "is " + machineOf(**old) + ", but " + rebuilt->path() + " is " + machineOf(*image),
               work.path, "build it for this environment's Python"});
  else
    work.replacement = std::make_unique<io::InputFile>(std::move(*rebuilt));
  // Errors of reading them are reported later, with those of the other files.
  llvm::consumeError(old.takeError());
  llvm::consumeError(image.takeError());
}

LibraryWork* PackageRun::find(const std::string& path) {
  for (const std::unique_ptr<LibraryWork>& work : works)
    if (work->path == path)
      return work.get();
  return nullptr;
}

// The plan starts from the installer's files, or from rebuilt ones.
void PackageRun::plan() {
  std::vector<std::string> replaced;
  for (const std::unique_ptr<LibraryWork>& work : works)
    if (work->replacement)
      replaced.push_back(work->path);
  if (!replaced.empty()) {
    rebuilt.emplace(present->after(replaced));
    for (const std::string& path : replaced)
      rebuilt->replace(path, find(path)->replacement->bytes());
  }
  resolve::LibraryStore& store = rebuilt ? *rebuilt : *present;
  facts = survey::gatherFacts(target, package, store, options.survey);
  for (const Problem& problem : facts.unreadable)
    if (LibraryWork* work = find(problem.path); work && work->isOpen())
      work->fail(problem);
  for (survey::LibraryFacts& library : facts.libraries) {
    const LibraryWork* work = find(library.path);
    if (!work || work->replacement || !work->edits())
      continue;
    const AppliedPlan& applied = *work->edits()->plan;
    library.original = {applied.dependencies, {}, applied.searchPaths, applied.searchPathKind};
  }
  groups = survey::groupsOf(facts);
  simulation.emplace(facts, store);
  plan::Request request = options.request;
  // Libraries that were not named and load are not changed.
  request.onlyWhatFails =
      options.survey.wantsEveryPackage && package.recipe.name != recipe::defaultRecipe().name;
  planned = plan::planPackage(facts, request, *simulation);
  for (const GroupPlan& group : planned.groups)
    for (const plan::Draft& draft : group.drafts)
      drafts[draft.library().path] = &draft;
}

void PackageRun::rewrite() {
  std::vector<std::pair<LibraryWork*, const plan::Draft*>> stale;
  for (const std::unique_ptr<LibraryWork>& work : works)
    if (auto draft = drafts.find(work->path); work->isOpen() && draft != drafts.end())
      if (!isUpToDate(*work, *draft->second, options))
        stale.push_back({work.get(), draft->second});
  parallelFor(stale.size(), hardwareThreads(), [&](size_t i) {
    auto& [work, draft] = stale[i];
    if (llvm::Error error = rewriteLibrary(*work, *draft, options))
      work->fail(toProblem(std::move(error), work->path));
  });
}

std::optional<commit::CommitFailure> PackageRun::write(const commit::Locks& locks) {
  std::vector<LibraryWork*> changed;
  std::vector<JournalEntry> kept;
  for (const JournalEntry& entry : state.journal.entries) {
    bool isOurs = llvm::any_of(works, [&](const auto& work) {
      return work->isOpen() && relativeTo(place, work->path) == entry.path;
    });
    if (!isOurs && isLibraryEntry(entry, place))
      kept.push_back(entry);
  }
  for (const std::unique_ptr<LibraryWork>& work : works)
    if (work->isOpen() && !work->change.isIdentity())
      changed.push_back(work.get());
    else if (work->isOpen()) {
      llvm::Expected<std::vector<JournalEntry>> entries =
          keptEntries(*work, state.journal, relativeTo(place, work->path));
      if (!entries)
        return commit::CommitFailure{toProblem(entries.takeError(), work->path), {}};
      llvm::append_range(kept, *entries);
    }

  std::vector<std::optional<StagedLibrary>> staged(changed.size());
  std::vector<std::optional<Problem>> refused(changed.size());
  StageContext context{place, options, facts.process.arch, target.disk, locks};
  parallelFor(changed.size(), commit::kFilesAtOnce, [&](size_t i) {
    if (io::system::isInterrupted()) {
      refused[i] = {ErrorCode::Interrupted, "not changed: interrupted", {}, {}};
      return;
    }
    llvm::Expected<StagedLibrary> library =
        stageLibrary(*changed[i], *drafts[changed[i]->path], context);
    if (library)
      staged[i].emplace(std::move(*library));
    else
      refused[i] = toProblem(library.takeError(), changed[i]->path);
  });
  for (const std::optional<Problem>& problem : refused)
    if (problem)
      return commit::CommitFailure{*problem, {}};
  std::vector<StagedLibrary> ready;
  for (std::optional<StagedLibrary>& library : staged)
    ready.push_back(std::move(*library));
  return commitLibraries(state, ready, std::move(kept), {locks, target.disk, warnings});
}

commit::Locks PackageRun::lock(io::Notify notify) const {
  if (!options.isWriting)
    return commit::Locks({}, {}, notify, commit::Links::Replaced);
  std::vector<std::string> written = package.libraries;
  llvm::append_range(written, listsOf(place));
  return commit::Locks(written, place.path, notify, commit::Links::Replaced,
                       boundsOf(place, target.environment, target.disk));
}

llvm::Error PackageRun::run(const commit::Locks& locks) {
  // Another tcfix may have changed files between discovery and the moment the locks were acquired.
  disk = target.disk.remembering();
  present.emplace(disk);
  if (llvm::Error error = locks.checkJournal(place.path))
    return error;
  for (const std::string& list : listsOf(place))
    if (llvm::Error error = locks.check(list))
      return error;
  if (llvm::Error error = readState(place, &disk).moveInto(state))
    return error;
  if (state.journalFile && options.isWriting)
    for (const std::string& library : package.libraries)
      if (llvm::Error error = locks.checkAuthor(*state.journalFile, library))
        return error;
  openLibraries(locks);
  plan();
  rewrite();
  bool isChanged = llvm::any_of(
      works, [](const auto& work) { return work->isOpen() && !work->change.isIdentity(); });
  bool hasFailed = llvm::any_of(works, [](const auto& work) { return !work->isOpen(); });
  // Without changes, the plan's simulation is also the result.
  auto keep = [](survey::PackageLoads loads) {
    return std::make_shared<const survey::PackageLoads>(std::move(loads));
  };
  before = keep(!isChanged && !hasFailed ? planned.takeLoads()
                : rebuilt                ? survey::Simulation(facts, *present).loadAll(groups)
                                         : simulation->loadAll(groups));
  after = before;
  std::optional<commit::CommitFailure> failure;
  if (options.isWriting)
    failure = write(locks);
  if (failure) {
    for (const std::unique_ptr<LibraryWork>& work : works)
      if (work->isOpen() && !work->change.isIdentity() && !failure->stuck.count(work->path))
        work->outcome.leaveUnchanged();
    isChanged = !failure->stuck.empty();
  } else if (!place.stray.empty()) {
    locks.removeIfEmpty(llvm::sys::path::parent_path(place.stray).str());
  }
  if (isChanged && options.isWriting) {
    // Simulate again with the files that are on disk now.
    resolve::LibraryStore changed = present->after(package.libraries);
    after = keep(survey::Simulation(facts, changed).loadAll(groups));
  } else if (isChanged) {
    after = keep(planned.takeLoads());
  }
  return failure ? toError(std::move(failure->problem)) : llvm::Error::success();
}

llvm::Expected<trial::Trial> PackageRun::tryOut(const trial::TrialOptions& how) {
  llvm::Expected<trial::Interpreter> python =
      trial::findInterpreter(target, package, options.survey);
  if (!python)
    return python.takeError();
  // Python inherits this process's environment variables, so this simulation uses them; a plan
  // must not depend on them.
  resolve::LibraryStore now = present->after(package.libraries);
  const survey::Simulation withVariables(facts, now, facts.variables);
  std::vector<trial::Expectation> expected;
  for (const survey::Group& group : groups) {
    const GroupLoads loads = withVariables.load(group, {}, survey::Regime::Preloaded);
    expected.push_back(trial::expectationOf(loads.verdict, loads.results));
  }
  return trial::tryOut(*python, facts, groups, expected, how);
}

void PackageRun::report(TargetOutcome& outcome) {
  // Paths as the user would type them, relative to the target as it was given.
  auto asTyped = [&](const std::string& path) {
    llvm::StringRef rest = path, typed = target.environment.path;
    while (typed.size() > 1 && llvm::sys::path::is_separator(typed.back()))
      typed = typed.drop_back();
    return rest.consume_front(target.environment.root) ? (typed + rest).str() : path;
  };
  for (std::unique_ptr<LibraryWork>& work : works) {
    work->outcome.path = asTyped(work->path);
    if (work->outcome.problem)
      work->outcome.problem->path = work->outcome.path;
    outcome.files.push_back(std::move(work->outcome));
  }
  llvm::append_range(outcome.warnings, warnings);
  for (const std::string& warning : planned.warnings)
    outcome.warnings.push_back({std::nullopt, warning, {}, {}});

  if (!outcome.torch)
    outcome.torch = facts.torch;
  for (const auto& [path, draft] : drafts)
    for (const plan::PlannedEdit& edit : draft->edits())
      if (edit.reason.kind == plan::Reason::Kind::InstalledLater)
        if (const auto* added = std::get_if<AddSearchPath>(&edit.edit))
          outcome.assumedFfmpeg = added->path;

  const bool isChanged = llvm::any_of(
      works, [](const auto& work) { return work->isOpen() && !work->change.isIdentity(); });
  if (std::string test = package.recipe.smokeTest(package.version);
      !test.empty() && (isChanged || !options.survey.wantsEveryPackage))
    outcome.smokeTests.push_back(std::move(test));
  if (!before || !after)
    return;
  auto overall = [&](const std::vector<GroupLoads>& loads) {
    return survey::verdictOf(groups, [&](size_t i) { return loads[i].verdict; });
  };
  Loads loads{overall(before->preloaded), overall(after->preloaded)};
  Loads bare{overall(before->bare), overall(after->bare)};
  outcome.loads = {both(outcome.loads.before, loads.before),
                   both(outcome.loads.after, loads.after)};
  outcome.loadsBare = {both(outcome.loadsBare.before, bare.before),
                       both(outcome.loadsBare.after, bare.after)};
  for (size_t i = 0; i < groups.size(); ++i) {
    const GroupLoads& now = after->preloaded[i];
    outcome.hasMajors |= groups[i].major != 0;
    if (groups[i].major && now.verdict != Verdict::Fails)
      outcome.loadingMajors.push_back(groups[i].major);
    for (const resolve::LoadResult& result : now.results)
      if (groups[i].need != survey::Group::Need::OnDemand && result.verdict == Verdict::Fails &&
          !result.problems.empty()) {
        outcome.causes.push_back(result.problems.front().message);
        break;
      }
    const GroupPlan& group = planned.groups[i];
    if (outcome.ffmpeg || now.verdict == Verdict::Fails || group.ffmpegFolder.empty())
      continue;
    std::string source = "found by itself";
    for (const providers::FfmpegInstall& install : facts.ffmpegs)
      if (install.folder == group.ffmpegFolder)
        source = providers::nameOf(install.source).str();
    const std::optional<int> major = survey::ffmpegMajorOf(*groups[i].libraries.front());
    if (group.ffmpeg)
      source = providers::nameOf(facts.ffmpegs[*group.ffmpeg].source).str();
    outcome.ffmpeg = {major.value_or(group.group.major), target.disk.targetPath(group.ffmpegFolder),
                      source};
  }
}

// Files there are shared with other environments, or are in a store that must not change.
std::string sharedStoreOf(llvm::StringRef folder, const io::TargetDisk& disk) {
  std::string real = disk.realPath(folder).value_or("");
  for (llvm::StringRef part : {"/archive-v0/", "/environments-v2/", "/nix/store/"})
    if (llvm::StringRef(real).contains(part))
      return part == "/nix/store/" ? "the Nix store" : "uv's cache";
  return {};
}

// An installer writes a package's .dist-info last and removes it first; a journal written in
// between would be in a place where later runs do not look. In a site without any .dist-info,
// packages were not put there by an installer.
bool isBeingInstalled(const env::Package& package, const env::Target& target) {
  const env::EnvironmentKind kind = target.environment.kind;
  bool isNamedItself = kind == env::EnvironmentKind::Folder || kind == env::EnvironmentKind::File;
  return package.distInfo.empty() && !package.libraries.empty() && !isNamedItself &&
         !env::distributionsIn(package.site, target.disk).empty();
}

/// With --all: whether a package may need changes. A package that tcfix changed before is planned
/// again, because its surroundings may have changed.
bool isToBePlanned(const env::Target& target, const env::Package& package,
                   resolve::LibraryStore& store, const survey::Demand& demand,
                   const ApplyOptions& options) {
  if (package.recipe.name == recipe::defaultRecipe().name ||
      target.disk.isFile(journalOf(package).path))
    return true;
  const survey::PackageFacts facts =
      survey::gatherLoaderFacts(target, package, store, options.survey, &demand);
  const std::vector<survey::Group> groups = survey::groupsOf(facts);
  const survey::Simulation simulation(facts, store);
  return llvm::any_of(groups, [&](const survey::Group& group) {
    return simulation.load(group, {}, survey::Regime::Preloaded).verdict == Verdict::Fails;
  });
}

/// The packages to work on: those that were named, or with --all those that need it.
std::vector<const env::Package*> packagesOf(const env::Target& target,
                                            const ApplyOptions& options) {
  const bool areAll = options.survey.wantsEveryPackage;
  std::vector<char> isWanted(target.packages.size(), !areAll);
  if (areAll) {
    resolve::LibraryStore store(target.disk);
    const survey::Demand demand(target.packages, store);
    parallelFor(target.packages.size(), hardwareThreads(), [&](size_t i) {
      isWanted[i] = !target.isShadowed(target.packages[i]) &&
                    isToBePlanned(target, target.packages[i], store, demand, options);
    });
  }
  std::vector<const env::Package*> packages;
  for (size_t i = 0; i < target.packages.size(); ++i)
    if (isWanted[i])
      packages.push_back(&target.packages[i]);
  return packages;
}

llvm::Error refuse(const env::Package& package, const env::Target& target,
                   const ApplyOptions& options) {
  if (!package.outward.empty())
    return fail(ErrorCode::Unsupported,
                "the directory of " + package.name + " is a link out of the environment, to " +
                    package.outward,
                "repair that directory: tcfix apply " + package.outward);
  if (!package.owners.empty())
    return fail(ErrorCode::Usage,
                package.name +
                    " is part of several installed packages: " + llvm::join(package.owners, ", "),
                "name one of them with --package");
  if (options.isWriting && isBeingInstalled(package, target))
    return fail(
        ErrorCode::Busy,
        package.name + " has no .dist-info in " + package.site +
            ": the package is being installed, or was copied there",
        "if it is being installed, run the same command again afterwards; if it was copied, "
        "repair its directory: tcfix apply " +
            llvm::sys::path::parent_path(package.libraries.front()).str());
  llvm::StringSet<> seen;
  for (const std::string& library : package.libraries) {
    const llvm::StringRef folder = llvm::sys::path::parent_path(library);
    if (options.isForced || !seen.insert(folder).second)
      continue;
    if (std::string store = sharedStoreOf(folder, target.disk); !store.empty())
      return fail(ErrorCode::Unsupported, library + " is in " + store + ", which is shared",
                  "repair a separate environment, or use --force");
  }
  return llvm::Error::success();
}

} // namespace

TargetOutcome applyTo(const std::string& target, const ApplyOptions& options, io::Notify notify) {
  TargetOutcome outcome;
  outcome.path = target;
  outcome.loads = outcome.loadsBare = {Verdict::Loads, Verdict::Loads};
  llvm::Expected<env::Target> found = survey::locate(target, options.survey);
  if (!found) {
    outcome.problems.push_back(toProblem(found.takeError(), target));
    outcome.loads = outcome.loadsBare = {};
    return outcome;
  }
  outcome.isFullyKnown = found->disk.knowsAbsolutePaths();
  std::vector<trial::Trial> trials;
  const std::vector<const env::Package*> packages = packagesOf(*found, options);
  if (options.trial) {
    outcome.required = options.trial->required;
    // Before anything is written.
    for (const env::Package* package : packages)
      if (llvm::Error error =
              trial::findInterpreter(*found, *package, options.survey).takeError()) {
        outcome.problems.push_back(toProblem(std::move(error), target));
        outcome.loads = outcome.loadsBare = {};
        return outcome;
      }
  }
  for (const env::Package* each : packages) {
    const env::Package& package = *each;
    llvm::append_range(outcome.warnings, package.problems);
    if (llvm::Error error = refuse(package, *found, options)) {
      outcome.problems.push_back(toProblem(std::move(error), target));
      continue;
    }
    PackageRun run(*found, package, options);
    std::optional<commit::Locks> locks(run.lock(notify));
    llvm::Error error = run.run(*locks);
    const bool isDone = !error;
    if (error)
      outcome.problems.push_back(toProblem(std::move(error), target));
    run.report(outcome);
    if (!options.trial || !isDone)
      continue;
    locks.reset(); // all writing is done, and importing torch is slow
    llvm::Expected<trial::Trial> trial = run.tryOut(*options.trial);
    if (trial)
      trials.push_back(std::move(*trial));
    else
      outcome.problems.push_back(toProblem(trial.takeError(), target));
  }
  if (!trials.empty())
    outcome.trial = trial::together(std::move(trials));
  return outcome;
}

} // namespace tcfix::apply
