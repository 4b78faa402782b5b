#include "apply/library_stage.h"
#include "apply/locks.h"
#include "apply/undo.h"
#include "env/target.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::apply {

namespace {

namespace path = llvm::sys::path;

// Every package whose libraries apply may have changed has its journal at a place of its own.
std::vector<JournalPlace> findJournals(const env::Environment& environment,
                                       const io::TargetDisk& disk) {
  std::vector<JournalPlace> places;
  auto add = [&](JournalPlace place) {
    bool isKnown =
        llvm::any_of(places, [&](const JournalPlace& known) { return known.path == place.path; });
    if (!isKnown && io::exists(place.path))
      places.push_back(std::move(place));
  };
  for (env::Package& package : env::listPackages(environment, disk)) {
    JournalPlace place = journalOf(package, environment);
    if (io::exists(place.path))
      place.condaMeta = env::findCondaMeta(environment, disk, package.name);
    add(std::move(place));
  }
  for (const env::Package& package : env::findPackages(environment, disk, env::torchcodecQuery()))
    add(journalOf(package, environment));
  // Outside a site the libraries may be of any name, or gone.
  env::Package bare;
  bare.site = environment.root;
  if (environment.kind == env::EnvironmentKind::File)
    bare.libraries.push_back(environment.root);
  if (environment.kind == env::EnvironmentKind::File ||
      environment.kind == env::EnvironmentKind::Folder)
    add(journalOf(bare, environment));
  return places;
}

// A tcfix that was killed before its journal was there left nothing but files of its own.
llvm::Error removeLeftovers(const env::Package& package, const JournalPlace& place,
                            io::Notify notify) {
  Locks locks(package.libraries, place.path, notify, Links::Replaced);
  for (const std::string& library : package.libraries)
    if (llvm::Error error = locks.check(library))
      return error;
  return llvm::Error::success();
}

/// One journal's files, put back.
class JournalUndo {
public:
  JournalUndo(JournalPlace place, const io::TargetDisk& disk, UndoRun& run)
      : place(std::move(place)), disk(disk), run(run) {}

  /// `only`: the file, or the folder, whose libraries to restore; empty for all.
  llvm::Error restore(const std::string& only, io::Notify notify) {
    llvm::Expected<PackageState> read = readState(place);
    if (!read)
      return read.takeError();
    for (const JournalEntry& entry : read->journal.entries)
      if (isLibraryEntry(entry, place) && isWanted(entry, only))
        addPath(place.base + "/" + entry.path);
    std::vector<std::string> written = paths;
    if (!place.condaMeta.empty())
      written.push_back(place.condaMeta);
    Locks locks(written, place.path, notify, Links::Replaced);
    if (llvm::Error error = locks.checkJournal(place.path))
      return error;
    // Read again: another tcfix may have been at work until the lock was ours.
    llvm::Expected<PackageState> state = readState(place);
    if (!state)
      return state.takeError();
    std::vector<StagedLibrary> staged;
    for (const std::string& file : paths)
      if (std::optional<StagedLibrary> library = stage(file, *state, locks))
        staged.push_back(std::move(*library));
    std::vector<JournalEntry> kept;
    for (const JournalEntry& entry : state->journal.entries)
      if (isLibraryEntry(entry, place) && !llvm::is_contained(settled, entry.path))
        kept.push_back(entry);
    if (llvm::Error error = commitLibraries(*state, staged, std::move(kept), run.problems))
      return error;
    for (const StagedLibrary& library : staged)
      run.restored.push_back(library.work->path);
    // Ours alone, and empty once the journal is gone; else it stays.
    if (path::filename(path::parent_path(place.path)) == ".tcfix")
      io::removeEmptyDirectory(path::parent_path(place.path));
    return llvm::Error::success();
  }

private:
  bool isWanted(const JournalEntry& entry, const std::string& only) const {
    const std::string file = place.base + "/" + entry.path;
    llvm::StringRef below = file;
    return only.empty() ||
           (below.consume_front(only) && (below.empty() || path::is_separator(below.front())));
  }

  void addPath(const std::string& file) {
    if (!llvm::is_contained(paths, file))
      paths.push_back(file);
  }

  std::optional<StagedLibrary> stage(const std::string& file, const PackageState& state,
                                     const Locks& locks) {
    LibraryWork& work = *works.emplace_back(std::make_unique<LibraryWork>());
    work.path = file;
    const std::string relative = relativeTo(place, file);
    llvm::Error refused = locks.check(file);
    llvm::Expected<io::InputFile> input =
        refused ? llvm::Expected<io::InputFile>(std::move(refused)) : disk.open(file);
    if (!input) {
      Problem problem = toProblem(input.takeError(), file);
      // A file that is gone needs no undoing.
      if (problem.code == ErrorCode::NotFound)
        settled.push_back(relative);
      else
        run.problems.push_back(std::move(problem));
      return std::nullopt;
    }
    work.input = std::make_unique<io::InputFile>(std::move(*input));
    findHistory(work, state.journal, relative);
    if (work.history.empty()) {
      if (isOriginal(work, state.journal, relative)) {
        run.skipped.push_back(file);
        settled.push_back(relative);
      } else {
        run.problems.push_back({ErrorCode::ChangedMeanwhile,
                                "was changed by someone else since; left as it is", file,
                                "install the package again to get the original back"});
      }
      return std::nullopt;
    }
    llvm::Expected<StagedLibrary> library = stageOriginal(work, disk);
    if (!library) {
      run.problems.push_back(toProblem(library.takeError(), file));
      return std::nullopt;
    }
    settled.push_back(relative);
    return std::move(*library);
  }

  JournalPlace place;
  const io::TargetDisk& disk;
  UndoRun& run;
  std::vector<std::string> paths;
  std::vector<std::string> settled; ///< the journal need not know them any more
  std::vector<std::unique_ptr<LibraryWork>> works;
};

} // namespace

llvm::Expected<UndoRun> undoTarget(const std::string& target, const std::string& sysroot,
                                   io::Notify notify) {
  env::TargetQuery query;
  query.path = target;
  query.sysroot = sysroot;
  query.packages = {env::torchcodecQuery()};
  llvm::Expected<env::Target> found = env::findTarget(query);
  if (!found)
    return found.takeError();
  const env::Environment& environment = found->environment;
  bool isPart = environment.kind == env::EnvironmentKind::File ||
                environment.kind == env::EnvironmentKind::Folder;
  std::string only = isPart ? environment.root : std::string();
  UndoRun run;
  std::vector<JournalPlace> places = findJournals(environment, found->disk);
  for (const env::Package& package : found->packages)
    if (places.empty() && package.outward.empty())
      if (llvm::Error error = removeLeftovers(package, journalOf(package, environment), notify))
        run.problems.push_back(toProblem(std::move(error), target));
  for (const JournalPlace& place : places) {
    JournalUndo undo(place, found->disk, run);
    if (llvm::Error error = undo.restore(only, notify))
      run.problems.push_back(toProblem(std::move(error), target));
  }
  return run;
}

} // namespace tcfix::apply
