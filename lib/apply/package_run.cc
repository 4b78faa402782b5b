#include "apply/package_run.h"

#include "base/parallel.h"
#include "env/import_order.h"
#include "image/names.h"
#include "io/system.h"
#include "resolve/verdict.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::apply {

using plan::GroupPlan;
using resolve::Verdict;
using survey::GroupLoads;

namespace {

// A link to another library of the package needs no edit of its own.
bool isAlias(const env::Package& package, const std::string& path, const io::TargetDisk& disk) {
  if (!disk.isLink(path))
    return false;
  std::optional<std::string> real = disk.realPath(path);
  return real && llvm::any_of(package.libraries, [&](const std::string& other) {
           return other != path && !disk.isLink(other) && disk.realPath(other) == real;
         });
}

} // namespace

void PackageRun::openLibraries(const commit::Locks& locks) {
  for (const std::string& path : package.libraries) {
    if (isAlias(package, path, target.disk))
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

namespace {

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

} // namespace

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
  request.onlyWhatFails = options.survey.wantsEveryPackage && !package.recipe.isDefault();
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
  std::set<std::string> open;
  for (const std::unique_ptr<LibraryWork>& work : works)
    if (work->isOpen())
      open.insert(relativeTo(place, work->path));
  for (const JournalEntry& entry : state.journal.entries)
    if (!open.count(entry.path) && isLibraryEntry(entry, place))
      kept.push_back(entry);
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
  target.disk = target.disk.remembering();
  present.emplace(target.disk);
  if (llvm::Error error = locks.checkJournal(place.path))
    return error;
  for (const std::string& list : listsOf(place))
    if (llvm::Error error = locks.check(list))
      return error;
  if (llvm::Error error = readState(place, &target.disk).moveInto(state))
    return error;
  if (options.isWriting) {
    std::vector<std::string> written = package.libraries;
    llvm::append_range(written, listsOf(place));
    if (llvm::Error error = checkAuthors(state, locks, written))
      return error;
  }
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
    after = keep(lookAgain());
  } else if (isChanged) {
    after = keep(planned.takeLoads());
  }
  return failure ? toError(std::move(failure->problem)) : llvm::Error::success();
}

// Simulates again with the files that are on disk now. The old ones are no longer needed, and a
// file system frees the blocks of a file without a name when it is closed, so they are closed
// meanwhile.
survey::PackageLoads PackageRun::lookAgain() {
  survey::PackageLoads loads;
  parallelFor(1 + works.size(), commit::kFilesAtOnce, [&](size_t i) {
    if (i > 0) {
      works[i - 1]->input.reset();
      present->close(works[i - 1]->path);
      return;
    }
    resolve::LibraryStore changed = present->after(package.libraries);
    loads = survey::Simulation(facts, changed).loadAll(groups);
  });
  return loads;
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

/// Python code that fails unless the changed libraries load; empty if none is known.
std::string PackageRun::smokeTest() {
  if (!package.recipe.isJudgedByModules)
    return package.recipe.smokeTest(package.version);
  constexpr size_t kMostModules = 4;
  std::vector<std::string> modules;
  bool isImported = false;
  for (const survey::LibraryFacts& library : facts.libraries) {
    const LibraryWork* work = find(library.path);
    if (!library.isNeeded || !work || !work->isOpen() || work->change.isIdentity())
      continue;
    std::string module = library.isModule ? env::moduleIn(library.path, facts.sites) : "";
    if (module.empty())
      isImported = true; // by the package's own code
    else if (modules.size() < kMostModules)
      modules.push_back(std::move(module));
  }
  if (!modules.empty())
    return "import " + llvm::join(modules, ", ");
  return isImported ? package.recipe.smokeTest(package.version) : std::string();
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
  outcome.isOfDefault |= package.recipe.isDefault();
  if (std::string test = smokeTest();
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
    std::optional<providers::FfmpegSource> source;
    for (const providers::FfmpegInstall& install : facts.ffmpegs)
      if (install.folder == group.ffmpegFolder)
        source = install.source;
    const std::optional<int> major = survey::ffmpegMajorOf(*groups[i].libraries.front());
    if (group.ffmpeg)
      source = facts.ffmpegs[*group.ffmpeg].source;
    outcome.ffmpeg = {major.value_or(group.group.major), target.disk.targetPath(group.ffmpegFolder),
                      source};
  }
}

} // namespace tcfix::apply
