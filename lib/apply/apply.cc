#include "apply/apply.h"

#include "apply/locks.h"
#include "apply/package_commit.h"
#include "base/parallel.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::apply {

using plan::GroupLoads;
using plan::GroupPlan;
using plan::Regime;
using resolve::Verdict;

namespace {

Verdict both(Verdict a, Verdict b) {
  if (a == Verdict::Fails || b == Verdict::Fails)
    return Verdict::Fails;
  return a == Verdict::Unknown ? a : b;
}

Verdict either(Verdict a, Verdict b) {
  if (a == Verdict::Loads || b == Verdict::Loads)
    return Verdict::Loads;
  return a == Verdict::Unknown ? a : b;
}

/// How a package's groups load: for each the verdict with torch imported and without.
struct PackageLoads {
  std::vector<GroupLoads> preloaded, bare;
};

PackageLoads simulate(const plan::PackageFacts& facts, resolve::LibraryStore& store) {
  plan::Simulation simulation(facts, store);
  std::vector<plan::Group> groups = plan::groupsOf(facts);
  PackageLoads loads;
  loads.preloaded.resize(groups.size());
  loads.bare.resize(groups.size());
  parallelFor(groups.size(), hardwareThreads(), [&](size_t i) {
    loads.preloaded[i] = simulation.load(groups[i], {}, Regime::Preloaded);
    loads.bare[i] = simulation.load(groups[i], {}, Regime::Bare);
  });
  return loads;
}

// torchcodec works when one of its majors does; a package without majors when all of it does.
Verdict overall(llvm::ArrayRef<GroupLoads> loads, llvm::ArrayRef<plan::Group> groups) {
  bool hasMajors = llvm::any_of(groups, [](const plan::Group& group) { return group.major != 0; });
  std::optional<Verdict> verdict;
  for (size_t i = 0; i < groups.size(); ++i)
    if ((groups[i].major != 0) == hasMajors)
      verdict = !verdict    ? loads[i].verdict
                : hasMajors ? either(*verdict, loads[i].verdict)
                            : both(*verdict, loads[i].verdict);
  return verdict.value_or(Verdict::Fails);
}

/// One package on its way.
class PackageRun {
public:
  PackageRun(const env::Target& target, const env::Package& package, const ApplyOptions& options)
      : target(target), package(package), options(options),
        place(journalOf(package, target.environment)) {}

  llvm::Error run(const Locks& locks);
  void report(TargetOutcome& outcome);
  const std::string& journalPath() const { return place.path; }

private:
  llvm::Error readJournalFile();
  void openLibraries(const Locks& locks);
  void takeReplacement(LibraryWork& work);
  LibraryWork* find(const std::string& path);

  const env::Target& target;
  const env::Package& package;
  const ApplyOptions& options;
  JournalPlace place;
  std::unique_ptr<io::InputFile> journalFile;
  Journal journal;
  std::vector<std::unique_ptr<LibraryWork>> works;
  plan::PackageFacts facts;
  plan::PackagePlan planned;
  PackageLoads before, after;
  std::vector<Problem> warnings;
};

llvm::Error PackageRun::readJournalFile() {
  llvm::Expected<io::InputFile> file = io::InputFile::open(place.path);
  if (!file) {
    Problem problem = toProblem(file.takeError(), place.path);
    return problem.code == ErrorCode::NotFound
               ? llvm::Error::success()
               : fail(problem.code, place.path + ": " + problem.message, problem.hint);
  }
  journalFile = std::make_unique<io::InputFile>(std::move(*file));
  llvm::Expected<Journal> read = readJournal(place.path);
  if (!read)
    return within(place.path, read.takeError());
  journal = std::move(*read);
  return llvm::Error::success();
}

void PackageRun::openLibraries(const Locks& locks) {
  for (const std::string& path : package.libraries) {
    LibraryWork& work = *works.emplace_back(std::make_unique<LibraryWork>());
    work.path = path;
    work.outcome.path = path;
    llvm::Error refused = options.isWriting ? locks.check(path) : llvm::Error::success();
    if (refused) {
      work.fail(toProblem(std::move(refused), path));
      continue;
    }
    llvm::Expected<io::InputFile> input = target.disk.open(path);
    if (!input) {
      work.fail(toProblem(input.takeError(), path));
      continue;
    }
    work.input = std::make_unique<io::InputFile>(std::move(*input));
    findHistory(work, journal, relativeTo(place, path));
    if (!options.replaceFrom.empty())
      takeReplacement(work);
  }
}

void PackageRun::takeReplacement(LibraryWork& work) {
  std::string name = llvm::sys::path::filename(work.path).str();
  llvm::Expected<io::InputFile> rebuilt =
      io::InputFile::open(options.replaceFrom + "/" + name);
  if (!rebuilt) {
    Problem problem = toProblem(rebuilt.takeError(), options.replaceFrom + "/" + name);
    if (problem.code != ErrorCode::NotFound)
      work.fail(std::move(problem));
    return;
  }
  if (work.base() == rebuilt->bytes())
    return; // it is already there
  work.replacement = std::make_unique<io::InputFile>(std::move(*rebuilt));
}

LibraryWork* PackageRun::find(const std::string& path) {
  for (const std::unique_ptr<LibraryWork>& work : works)
    if (work->path == path)
      return work.get();
  return nullptr;
}

llvm::Error PackageRun::run(const Locks& locks) {
  if (llvm::Error error = readJournalFile())
    return error;
  openLibraries(locks);

  // As everything is now.
  resolve::LibraryStore present(target.disk);
  std::vector<Problem> unreadable;
  facts = plan::gatherFacts(target, package, present, options.survey, unreadable);
  for (const Problem& problem : unreadable)
    if (LibraryWork* work = find(problem.path); work && work->isOpen())
      work->fail(problem);
  before = simulate(facts, present);

  // The plan starts from what the installer, or a rebuild, left.
  resolve::LibraryStore rebuilt(target.disk);
  bool hasReplacements = false;
  for (const std::unique_ptr<LibraryWork>& work : works)
    if (work->replacement) {
      rebuilt.replace(work->path, work->replacement->bytes());
      hasReplacements = true;
    }
  plan::PackageFacts originals = facts;
  if (hasReplacements)
    originals = plan::gatherFacts(target, package, rebuilt, options.survey, unreadable);
  for (plan::LibraryFacts& library : originals.libraries) {
    const LibraryWork* work = find(library.path);
    if (!work || work->replacement || !work->edits())
      continue;
    const AppliedPlan& applied = *work->edits()->plan;
    library.original = {applied.dependencies, {}, applied.searchPaths, applied.searchPathKind};
  }
  facts = std::move(originals);
  planned = plan::planPackage(facts, options.request, hasReplacements ? rebuilt : present);

  std::map<std::string, const plan::Draft*> byPath;
  for (const GroupPlan& group : planned.groups)
    for (const plan::Draft& draft : group.drafts)
      byPath[draft.library().path] = &draft;
  parallelFor(works.size(), hardwareThreads(), [&](size_t i) {
    LibraryWork& work = *works[i];
    auto draft = byPath.find(work.path);
    if (!work.isOpen() || draft == byPath.end())
      return;
    if (llvm::Error error = rewriteLibrary(work, *draft->second, options))
      work.fail(toProblem(std::move(error), work.path));
  });

  bool isChanged = llvm::any_of(
      works, [](const auto& work) { return work->isOpen() && !work->change.isIdentity(); });
  if (options.isWriting) {
    std::vector<const plan::Draft*> drafts;
    for (const std::unique_ptr<LibraryWork>& work : works)
      drafts.push_back(byPath.count(work->path) ? byPath[work->path] : nullptr);
    PackageChange change{place,  journal, journalFile.get(), works,
                         drafts, options, facts.process.arch};
    if (llvm::Error error = commitPackage(change, warnings)) {
      for (const std::unique_ptr<LibraryWork>& work : works)
        if (work->isOpen() && !work->change.isIdentity()) {
          work->outcome.status = FileStatus::Unchanged;
          work->outcome.edit = {};
          work->outcome.sha256After = work->outcome.sha256Before;
        }
      after = before;
      return error;
    }
  }
  if (!isChanged) {
    after = before;
  } else if (options.isWriting) {
    // Look again, with nothing remembered: the disk has the last word.
    resolve::LibraryStore changed(target.disk);
    after = simulate(facts, changed);
  } else {
    for (const GroupPlan& group : planned.groups) {
      after.preloaded.push_back(group.preloaded);
      after.bare.push_back(group.bare);
    }
  }
  return llvm::Error::success();
}

void PackageRun::report(TargetOutcome& outcome) {
  // Paths as the user would type them, from the target as it was given.
  auto asTyped = [&](const std::string& path) {
    llvm::StringRef rest = path;
    return rest.consume_front(target.environment.root) ? target.environment.path + rest.str() : path;
  };
  for (std::unique_ptr<LibraryWork>& work : works) {
    work->outcome.path = asTyped(work->path);
    if (work->outcome.problem)
      work->outcome.problem->path = work->outcome.path;
    outcome.files.push_back(std::move(work->outcome));
  }
  llvm::append_range(outcome.warnings, warnings);
  for (const std::string& warning : planned.warnings)
    outcome.warnings.push_back({ErrorCode::Warning, warning, {}, {}});

  std::vector<plan::Group> groups = plan::groupsOf(facts);
  if (before.preloaded.size() != groups.size() || after.preloaded.size() != groups.size())
    return; // it failed before that could be known
  Loads loads{overall(before.preloaded, groups), overall(after.preloaded, groups)};
  Loads bare{overall(before.bare, groups), overall(after.bare, groups)};
  outcome.loads = {both(outcome.loads.before, loads.before), both(outcome.loads.after, loads.after)};
  outcome.loadsBare = {both(outcome.loadsBare.before, bare.before),
                       both(outcome.loadsBare.after, bare.after)};
  for (size_t i = 0; i < groups.size(); ++i) {
    const GroupLoads& now = after.preloaded[i];
    if (groups[i].major && now.verdict != Verdict::Fails)
      outcome.loadingMajors.push_back(groups[i].major);
    for (const resolve::LoadResult& result : now.results)
      if (result.verdict == Verdict::Fails && !result.problems.empty()) {
        outcome.causes.push_back(result.problems.front().message);
        break;
      }
    const GroupPlan& group = planned.groups[i];
    if (outcome.ffmpeg || now.verdict == Verdict::Fails || group.ffmpegFolder.empty())
      continue;
    std::string source = "found by itself";
    for (const env::FfmpegInstall& install : facts.ffmpegs)
      if (install.folder == group.ffmpegFolder)
        source = env::nameOf(install.source).str();
    if (group.ffmpeg)
      source = env::nameOf(facts.ffmpegs[*group.ffmpeg].source).str();
    outcome.ffmpeg = {group.group.major, target.disk.targetPath(group.ffmpegFolder), source};
  }
}

// Files there belong to other environments, too, or to a store that must not change.
std::string sharedStoreOf(llvm::StringRef folder) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(folder, real))
    return {};
  for (llvm::StringRef part : {"/archive-v0/", "/environments-v2/", "/nix/store/"})
    if (real.str().contains(part))
      return part == "/nix/store/" ? "the Nix store" : "uv's cache";
  return {};
}

llvm::Error refuse(const env::Package& package, const ApplyOptions& options) {
  if (!package.outward.empty())
    return fail(ErrorCode::Unsupported,
                "the folder of " + package.name + " is a link out of the environment, to " +
                    package.outward,
                "name that folder: tcfix apply " + package.outward);
  for (const std::string& library : package.libraries)
    if (std::string store = sharedStoreOf(llvm::sys::path::parent_path(library));
        !store.empty() && !options.isForced)
      return fail(ErrorCode::Unsupported, library + " lies in " + store + ", which others share",
                  "repair an environment of your own, or use --force");
  return llvm::Error::success();
}

} // namespace

TargetOutcome applyTo(const std::string& target, const ApplyOptions& options, io::Notify notify) {
  TargetOutcome outcome;
  outcome.path = target;
  outcome.loads = outcome.loadsBare = {Verdict::Loads, Verdict::Loads};
  llvm::Expected<env::Target> found = plan::locate(target, options.survey);
  if (!found) {
    outcome.problems.push_back(toProblem(found.takeError(), target));
    outcome.loads = outcome.loadsBare = {};
    return outcome;
  }
  outcome.isFullyKnown = found->disk.knowsAbsolutePaths();
  for (const env::Package& package : found->packages) {
    llvm::append_range(outcome.warnings, package.problems);
    if (llvm::Error error = refuse(package, options)) {
      outcome.problems.push_back(toProblem(std::move(error), target));
      continue;
    }
    PackageRun run(*found, package, options);
    Locks locks(options.isWriting ? llvm::ArrayRef<std::string>(package.libraries)
                                  : llvm::ArrayRef<std::string>(),
                options.isWriting && !package.distInfo.empty() ? run.journalPath() : std::string(),
                notify);
    llvm::Error error = run.run(locks);
    if (error)
      outcome.problems.push_back(toProblem(std::move(error), target));
    run.report(outcome);
  }
  return outcome;
}

} // namespace tcfix::apply
