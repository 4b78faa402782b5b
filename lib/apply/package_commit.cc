#include "apply/package_commit.h"

#include "apply/record_file.h"
#include "base/paths.h"
#include "env/library_files.h"
#include "env/record.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/Path.h>

#include <map>
#include <set>
#include <tuple>

namespace tcfix::apply {

namespace {

// Hard links of one file stay hard links of one file.
void joinTwins(std::vector<StagedLibrary>& libraries) {
  for (size_t i = 0; i < libraries.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const LibraryWork &first = *libraries[j].work, &second = *libraries[i].work;
      bool isTwin = first.input->stamp() == second.input->stamp() &&
                    first.outcome.sha256After == second.outcome.sha256After &&
                    libraries[j].step->staged() && libraries[i].step->staged();
      if (!isTwin)
        continue;
      for (auto [from, to] : llvm::zip(libraries[j].history, libraries[i].history))
        if (from.plan && to.plan)
          to.plan->stamp = from.plan->stamp;
      libraries[i].step.emplace(
          Step::join(*second.input, libraries[i].step->place(), libraries[j].step->place()));
      break;
    }
}

std::vector<RecordChange> recordChanges(llvm::ArrayRef<JournalEntry> entries) {
  std::map<std::string, const JournalEntry*> last;
  for (const JournalEntry& entry : entries)
    last[entry.path] = &entry;
  std::vector<RecordChange> changes;
  for (const auto& [path, entry] : last)
    changes.push_back({path, entry->sha256After, entry->reverse.oldSize});
  return changes;
}

/// Updates every list of the package's files. A list that cannot be read is not changed, unless it
/// contains what apply wrote: then nothing may change, because the list would no longer match.
llvm::Expected<std::vector<RecordWork>> followInLists(const PackageState& state,
                                                      llvm::ArrayRef<JournalEntry> entries,
                                                      const CommitContext& context) {
  RecordRequest request{state.place, state.journal, context.disk, recordChanges(entries),
                        !entries.empty()};
  std::vector<RecordWork> lists;
  auto add = [&](const std::string& path,
                 llvm::function_ref<llvm::Expected<RecordWork>(const RecordRequest&)> plan)
      -> llvm::Error {
    if (path.empty())
      return llvm::Error::success();
    llvm::Expected<RecordWork> list = plan(request);
    if (list) {
      lists.push_back(std::move(*list));
      return llvm::Error::success();
    }
    Problem problem = toProblem(list.takeError(), path);
    const std::string name = relativeTo(state.place, path);
    bool isOurs = llvm::any_of(state.journal.entries,
                               [&](const JournalEntry& entry) { return entry.path == name; });
    if (problem.code == ErrorCode::NotFound)
      return llvm::Error::success(); // a missing list needs no update
    if (isOurs)
      return at(path,
                fail(ErrorCode::Unreadable,
                     "contains hashes that tcfix wrote, and cannot be restored: " + problem.message,
                     "reinstall the package, or make the file readable"));
    problem.code = std::nullopt;
    problem.message = "not updated: " + problem.message;
    context.warnings.push_back(std::move(problem));
    return llvm::Error::success();
  };
  if (llvm::Error error = add(state.place.record, planRecord))
    return error;
  // conda's list contains RECORD, too.
  for (const RecordWork& record : lists)
    if (record.entry)
      request.changes.push_back(
          {record.entry->path, record.entry->sha256After, record.wanted.size()});
  if (llvm::Error error = add(state.place.condaMeta, planCondaMeta))
    return error;
  return lists;
}

// The old entries, then the new ones that are not among them.
Journal unionOf(const Journal& old, const Journal& wanted) {
  using Change = std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef>;
  auto changeOf = [](const JournalEntry& entry) {
    return Change(entry.path, entry.sha256Before, entry.sha256After);
  };
  Journal both = old;
  std::set<Change> known; // a journal may have hundreds of thousands of entries
  for (const JournalEntry& entry : old.entries)
    known.insert(changeOf(entry));
  for (const JournalEntry& entry : wanted.entries)
    if (!known.count(changeOf(entry)))
      both.entries.push_back(entry);
  return both;
}

// The first journal describes both the old and the new state, because a crash may leave a file in
// either; the last journal describes the new state only.
llvm::Error addFirstJournal(commit::Phase& phase, const PackageState& state, const Journal& wanted,
                            const commit::Locks& locks) {
  if (wanted.entries.empty())
    return llvm::Error::success();
  llvm::Expected<io::Place> place = locks.newPlace(state.place.path);
  if (!place)
    return at(state.place.path, place.takeError());
  llvm::Expected<std::string> text = journalText(unionOf(state.journal, wanted));
  if (!text)
    return at(state.place.path, text.takeError());
  return append(phase, state.place.path,
                Step::write(state.journalFile.get(), std::move(*place), *text));
}

llvm::Error addRemoval(commit::Phase& phase, const std::string& path, const commit::Locks& locks) {
  llvm::Expected<io::Place> place = locks.place(path);
  if (!place)
    return at(path, place.takeError());
  phase.push_back(Step::remove(std::move(*place)));
  return llvm::Error::success();
}

llvm::Error addLastJournal(commit::Phase& phase, const PackageState& state, const Journal& wanted,
                           const commit::Locks& locks) {
  const std::string& path = state.place.path;
  if (!state.place.stray.empty())
    if (llvm::Error error = addRemoval(phase, state.place.stray, locks))
      return error;
  if (wanted.entries.empty())
    return state.journalFile ? addRemoval(phase, path, locks) : llvm::Error::success();
  if (state.journal.entries.empty() || isSame(wanted, unionOf(state.journal, wanted)))
    return llvm::Error::success();
  llvm::Expected<io::Place> place = locks.newPlace(path);
  if (!place)
    return at(path, place.takeError());
  llvm::Expected<std::string> text = journalText(wanted);
  if (!text)
    return at(path, text.takeError());
  return append(phase, path, Step::write(nullptr, std::move(*place), *text));
}

constexpr llvm::StringLiteral kReinstall =
    "reinstall the package, which restores the original files and removes the journal";

// The files that a journal names are written to, so it must not name arbitrary ones. For the
// system, a path ends at its first NUL.
bool leadsOut(llvm::StringRef entry) {
  return llvm::sys::path::is_absolute(entry) || entry.contains('\0') ||
         llvm::is_contained(
             llvm::make_range(llvm::sys::path::begin(entry), llvm::sys::path::end(entry)), "..");
}

/// The libraries of a package that apply may have changed: those in the package's own directory,
/// and those that RECORD lists, such as grafted libraries given by path.
class PackageLibraries {
public:
  explicit PackageLibraries(const JournalPlace& place) : place(place) {}

  bool contains(llvm::StringRef name) {
    if (leadsOut(name) || !env::isLibraryName(llvm::sys::path::filename(name)))
      return false;
    if (place.record.empty() || (isWithin(name, place.folder) && !env::isInGraftedFolder(name)))
      return true;
    return listed().count(name);
  }

private:
  const llvm::StringSet<>& listed() {
    if (names)
      return *names;
    names.emplace();
    std::optional<io::InputFile> file =
        llvm::expectedToOptional(io::InputFile::open(place.record, io::kLargestText));
    std::optional<env::Record> record;
    if (file)
      record = llvm::expectedToOptional(env::Record::parse(textOf(file->bytes())));
    if (record)
      for (const env::RecordRow& row : record->rows())
        names->insert(row.path);
    return *names;
  }

  const JournalPlace& place;
  std::optional<llvm::StringSet<>> names; ///< in RECORD; read when first needed
};

llvm::Expected<commit::JournalFile> openJournal(const std::string& path,
                                                const io::TargetDisk* disk = nullptr) {
  llvm::Expected<commit::JournalFile> file = commit::openJournal(path, disk);
  if (file)
    return file;
  Problem problem = toProblem(file.takeError(), path);
  if (problem.code == ErrorCode::Malformed)
    problem.hint = kReinstall.str();
  return toError(std::move(problem));
}

/// Merges the entries of the journal in the package's directory.
llvm::Error takeOver(PackageState& state) {
  const std::string base =
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(state.place.stray)).str();
  llvm::Expected<commit::JournalFile> file = openJournal(state.place.stray);
  if (!file)
    return file.takeError();
  for (JournalEntry& entry : file->journal.entries)
    entry.path = relativePath(state.place.base, base + "/" + entry.path);
  state.journal = unionOf(state.journal, file->journal);
  state.strayFile = std::move(file->input);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<PackageState> readState(JournalPlace place, const io::TargetDisk* disk) {
  llvm::Expected<commit::JournalFile> file = openJournal(place.path, disk);
  if (!file)
    return file.takeError();
  PackageState state{std::move(place), std::move(file->input), {}, std::move(file->journal)};
  if (!state.place.stray.empty())
    if (llvm::Error error = takeOver(state))
      return error;
  PackageLibraries libraries(state.place);
  for (const JournalEntry& entry : state.journal.entries)
    if (isLibraryEntry(entry, state.place) && !libraries.contains(entry.path))
      return at(state.place.path,
                fail(ErrorCode::Malformed,
                     "names " + entry.path + ", which is not a library of the package",
                     kReinstall.str()));
  return state;
}

llvm::Error checkAuthors(const PackageState& state, const commit::Locks& locks,
                         llvm::ArrayRef<std::string> written) {
  for (const io::InputFile* journal : {state.journalFile.get(), state.strayFile.get()})
    for (const std::string& file : written)
      if (llvm::Error error = journal ? locks.checkAuthor(*journal, file) : llvm::Error::success())
        return error;
  return llvm::Error::success();
}

bool isLibraryEntry(const JournalEntry& entry, const JournalPlace& place) {
  return entry.path != relativeTo(place, place.record) &&
         entry.path != relativeTo(place, place.condaMeta);
}

std::vector<std::string> listsOf(const JournalPlace& place) {
  std::vector<std::string> paths;
  for (const std::string& path : {place.condaMeta, place.stray})
    if (!path.empty())
      paths.push_back(path);
  return paths;
}

namespace {

/// The phases that take a package from one state to the next.
struct PackagePhases {
  commit::Phase phases[3]; ///< first journal, files, last journal
  std::vector<RecordWork> lists;
};

llvm::Error stagePackage(PackagePhases& package, const PackageState& state,
                         std::vector<StagedLibrary>& staged, std::vector<JournalEntry> kept,
                         const CommitContext& context) {
  joinTwins(staged);
  Journal wanted{std::move(kept)};
  for (const StagedLibrary& library : staged)
    llvm::append_range(wanted.entries, library.history);
  // Independent of the order of changes: the next run must not see another order and write again.
  llvm::stable_sort(wanted.entries,
                    [](const JournalEntry& a, const JournalEntry& b) { return a.path < b.path; });
  std::vector<RecordWork>& lists = package.lists;
  if (llvm::Error error = followInLists(state, wanted.entries, context).moveInto(lists))
    return error;
  if (!wanted.entries.empty())
    for (const RecordWork& list : lists)
      if (list.entry)
        wanted.entries.push_back(*list.entry);
  bool isListChanged = llvm::any_of(lists, [](const RecordWork& list) { return list.isChanged(); });
  if (staged.empty() && !isListChanged && state.place.stray.empty() &&
      isSame(wanted, state.journal))
    return llvm::Error::success();

  commit::Phase(&phases)[3] = package.phases;
  if (llvm::Error error = addFirstJournal(phases[0], state, wanted, context.locks))
    return error;
  for (StagedLibrary& library : staged)
    phases[1].push_back(std::move(*library.step));
  for (const RecordWork& list : lists)
    if (list.isChanged())
      if (llvm::Error error = append(phases[1], list.path, list.stage(context.locks, context.disk)))
        return error;
  return addLastJournal(phases[2], state, wanted, context.locks);
}

} // namespace

std::optional<commit::CommitFailure> commitLibraries(const PackageState& state,
                                                     std::vector<StagedLibrary>& staged,
                                                     std::vector<JournalEntry> kept,
                                                     const CommitContext& context) {
  PackagePhases package;
  if (llvm::Error error = stagePackage(package, state, staged, std::move(kept), context))
    return commit::CommitFailure{toProblem(std::move(error), {}), {}};
  return commit::tryCommitTogether(package.phases);
}

} // namespace tcfix::apply
