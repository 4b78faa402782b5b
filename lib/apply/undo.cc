#include "apply/undo.h"

#include "apply/library_stage.h"
#include "base/paths.h"
#include "commit/locks.h"
#include "env/target.h"
#include "formats/formats.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::apply {

namespace {

namespace path = llvm::sys::path;
using commit::Links;
using commit::Locks;

/// The staged originals of files that one journal names.
class Restoration {
public:
  Restoration(const Journal& journal, const Locks& locks, const io::TargetDisk& disk, UndoRun& run)
      : journal(journal), locks(locks), disk(disk), run(run) {}

  /// Stages the original of `file`, which is `name` in the journal, or records why that is not
  /// possible for this file. An error is about the disk and affects all files.
  llvm::Error add(const std::string& file, const std::string& name, Links links) {
    LibraryWork& work = *works.emplace_back(std::make_unique<LibraryWork>());
    llvm::Error refused = locks.check(file);
    llvm::Expected<io::InputFile> input =
        refused ? llvm::Expected<io::InputFile>(std::move(refused)) : disk.open(file);
    if (!input)
      return note(toProblem(input.takeError(), file), name);
    work.input = std::make_unique<io::InputFile>(std::move(*input));
    if (!formats::sniff(work.input->bytes()))
      return note(
          {ErrorCode::NotALibrary, "is not a library, so the journal entry is invalid", file, {}},
          name);
    work.path = links == Links::Followed ? work.input->path() : file;
    if (author)
      if (llvm::Error error = locks.checkAuthor(*author, work.path))
        return error;
    bool isAsInstalled = false;
    llvm::Error unread = findHistory(work, journal, name);
    if (!unread && work.history.empty())
      unread = isOriginal(work, journal, name).moveInto(isAsInstalled);
    if (unread)
      return at(file, std::move(unread));
    if (isAsInstalled) {
      run.skipped.push_back(file);
      settled.insert(name);
      return llvm::Error::success();
    }
    if (work.history.empty())
      return note({ErrorCode::ChangedMeanwhile, "has changed since; not restored", file,
                   "reinstall the package to restore the original"},
                  name);
    llvm::Expected<StagedLibrary> library = stageOriginal(work, disk, locks);
    if (!library)
      return note(toProblem(library.takeError(), file), name);
    if (llvm::Error error = library->step->sync()) // closes its descriptor
      return at(file, std::move(error));
    settled.insert(name);
    files.push_back(file);
    staged.push_back(std::move(*library));
    return llvm::Error::success();
  }

  /// Records what was restored: all files, or the ones that could not be.
  void report(const std::optional<commit::CommitFailure>& failure) {
    for (const std::string& file : files)
      if (!failure || failure->stuck.count(file))
        run.restored.push_back(file);
  }

  /// The journal, if its owner must be allowed to write to the directory of each file.
  const io::InputFile* author = nullptr;
  std::vector<StagedLibrary> staged;
  std::vector<std::string> files; ///< of the staged ones, as given
  std::vector<Problem> missing;   ///< files that do not exist
  std::set<std::string> settled;  ///< names whose entries the journal no longer needs

private:
  llvm::Error note(Problem problem, const std::string& name) {
    if (problem.code == ErrorCode::CannotWrite || problem.code == ErrorCode::Interrupted)
      return toError(std::move(problem));
    if (problem.code == ErrorCode::NotFound)
      settled.insert(name); // a missing file needs no undo
    auto& list = problem.code == ErrorCode::NotFound ? missing : run.problems;
    list.push_back(std::move(problem));
    return llvm::Error::success();
  }

  const Journal& journal;
  const Locks& locks;
  const io::TargetDisk& disk;
  UndoRun& run;
  std::vector<std::unique_ptr<LibraryWork>> works;
};

// Each package whose libraries apply may have changed has its own journal.
std::vector<JournalPlace> findJournals(const env::Target& target) {
  const env::Environment& environment = target.environment;
  const io::TargetDisk& disk = target.disk;
  std::vector<JournalPlace> places;
  // A journal that cannot be reached is not an absent one: reading it reports why.
  auto mayExist = [](const JournalPlace& place) {
    return !place.stray.empty() || io::exists(place.path) || io::isForbidden(place.path);
  };
  auto add = [&](JournalPlace place) {
    bool isKnown = llvm::any_of(places, [&](const JournalPlace& known) {
      return known.path == place.path || known.stray == place.path;
    });
    if (!isKnown && mayExist(place))
      places.push_back(std::move(place));
  };
  for (env::Package& package : env::listPackages(environment, disk)) {
    JournalPlace place = journalOf(package);
    if (mayExist(place))
      place.condaMeta = env::findCondaMeta(environment, disk, package.name);
    add(std::move(place));
  }
  auto addOf = [&](const std::string& folder) {
    env::Package bare;
    bare.home = folder;
    add(journalOf(bare));
  };
  for (const env::Package& package : target.packages)
    add(journalOf(package));
  // Packages without .dist-info may have any name, and outside a site their libraries may be gone.
  for (const env::Site& site : environment.sites)
    for (const io::DirectoryEntry& each : disk.entries(site.folder))
      if (each.isDirectory() &&
          io::isDirectory(site.folder + "/" + each.name + "/" + kJournalFolder))
        addOf(site.folder + "/" + each.name);
  if (environment.kind == env::EnvironmentKind::File)
    addOf(path::parent_path(environment.root).str());
  if (environment.kind == env::EnvironmentKind::Folder)
    addOf(environment.root);
  return places;
}

/// The names in the journal of libraries that are `only` or below it; all names if it is empty.
std::set<std::string> namesBelow(const std::string& only, const PackageState& state) {
  std::set<std::string> names;
  for (const JournalEntry& entry : state.journal.entries) {
    bool isWanted = only.empty() || isWithin(state.place.base + "/" + entry.path, only);
    if (isWanted && isLibraryEntry(entry, state.place))
      names.insert(entry.path);
  }
  return names;
}

// Directories that only contain the journal; removed if they are empty.
void removeJournalDirectories(const JournalPlace& place, const Locks& locks) {
  for (const std::string& journal : {place.path, place.stray})
    if (path::filename(path::parent_path(journal)) == ".tcfix")
      locks.removeIfEmpty(path::parent_path(journal).str());
}

llvm::Error undoPackage(const JournalPlace& place, const std::string& only,
                        const env::Target& target, io::Notify notify, UndoRun& run) {
  llvm::Expected<PackageState> read = readState(place);
  if (!read)
    return read.takeError();
  const std::set<std::string> names = namesBelow(only, *read);
  std::vector<std::string> written;
  for (const std::string& name : names)
    written.push_back(place.base + "/" + name);
  llvm::append_range(written, listsOf(place));
  Locks locks(written, place.path, notify, Links::Replaced,
              boundsOf(place, target.environment, target.disk));
  if (llvm::Error error = locks.checkJournal(place.path))
    return error;
  for (const std::string& file : written)
    if (llvm::Error error = locks.check(file))
      return error;
  // Read again: another tcfix may have changed it before the lock was acquired.
  llvm::Expected<PackageState> state = readState(place);
  if (!state)
    return state.takeError();
  if (llvm::Error error = checkAuthors(*state, locks, written))
    return error;
  Restoration restoration(state->journal, locks, target.disk, run);
  for (const std::string& name : namesBelow(only, *state))
    if (names.count(name)) // the directories of the others are not locked
      if (llvm::Error error = restoration.add(place.base + "/" + name, name, Links::Replaced))
        return error;
  std::vector<JournalEntry> kept;
  for (const JournalEntry& entry : state->journal.entries)
    if (isLibraryEntry(entry, place) && !restoration.settled.count(entry.path))
      kept.push_back(entry);
  std::optional<commit::CommitFailure> failure = commitLibraries(
      *state, restoration.staged, std::move(kept), {locks, target.disk, run.warnings});
  restoration.report(failure);
  if (failure)
    return toError(std::move(failure->problem));
  removeJournalDirectories(place, locks);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<UndoRun> undoJournal(const std::string& path, io::Notify notify) {
  llvm::Expected<Journal> journal = commit::readJournal(path);
  if (!journal)
    return journal.takeError();
  std::set<std::string> names;
  for (const JournalEntry& entry : journal->entries)
    names.insert(entry.path);
  const std::vector<std::string> written(names.begin(), names.end());
  Locks locks(written, path, notify, Links::Followed);
  if (llvm::Error error = locks.checkJournal(path))
    return error;
  // Read again: another tcfix may have changed it before the lock was acquired.
  llvm::Expected<commit::JournalFile> file = commit::openJournal(path);
  if (!file)
    return file.takeError();
  journal = std::move(file->journal);
  for (JournalEntry& entry : journal->entries)
    entry.link.clear(); // edit follows links and never replaces them
  UndoRun run;
  const io::TargetDisk disk({});
  Restoration restoration(*journal, locks, disk, run);
  restoration.author = file->input.get();
  for (const std::string& name : names)
    if (llvm::Error error = restoration.add(name, name, Links::Followed)) {
      run.problems.push_back(toProblem(std::move(error), name));
      return run; // none of them
    }
  llvm::append_range(run.problems, restoration.missing);
  commit::Phase phase;
  for (StagedLibrary& library : restoration.staged)
    phase.push_back(std::move(*library.step));
  std::optional<commit::CommitFailure> failure = commit::tryCommitTogether(phase);
  restoration.report(failure);
  if (failure)
    run.problems.push_back(toProblem(toError(std::move(failure->problem)), path));
  return run;
}

llvm::Expected<UndoRun> undoTarget(const std::string& target, const std::string& sysroot,
                                   io::Notify notify) {
  env::TargetQuery query;
  query.path = target;
  query.sysroot = sysroot;
  query.recipes = {recipe::defaultRecipe()};
  query.mark = kJournalFolder.str();
  llvm::Expected<env::Target> found = env::findTarget(query);
  if (!found)
    return found.takeError();
  const env::Environment& environment = found->environment;
  bool isPart = environment.kind == env::EnvironmentKind::File ||
                environment.kind == env::EnvironmentKind::Folder;
  std::string only = isPart ? environment.root : std::string();
  UndoRun run;
  std::vector<JournalPlace> places = findJournals(*found);
  for (const std::string& folder : found->disk.forbidden()) {
    const bool mayHoldJournals = environment.sites.empty()
                                     ? isWithin(folder, environment.whole)
                                     : llvm::any_of(environment.sites, [&](const env::Site& site) {
                                         return isWithin(site.folder, folder);
                                       });
    if (mayHoldJournals && (places.empty() || !isPart))
      run.problems.push_back(toProblem(env::permissionDenied(), folder));
  }
  // A tcfix that was killed before it wrote its journal left only temporary files.
  for (const env::Package& package : found->packages)
    if (places.empty() && package.outward.empty()) {
      const JournalPlace place = journalOf(package);
      std::vector<std::string> written = package.libraries;
      llvm::append_range(written, listsOf(place));
      Locks locks(written, place.path, notify, Links::Replaced,
                  boundsOf(place, environment, found->disk));
      if (llvm::Error error = locks.checkAll())
        run.problems.push_back(toProblem(std::move(error), target));
      removeJournalDirectories(place, locks);
    }
  for (const JournalPlace& place : places)
    if (llvm::Error error = undoPackage(place, only, *found, notify, run))
      run.problems.push_back(toProblem(std::move(error), target));
  return run;
}

} // namespace tcfix::apply
