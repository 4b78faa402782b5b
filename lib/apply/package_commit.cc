#include "apply/package_commit.h"

#include "apply/record_file.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <map>

namespace tcfix::apply {

namespace {

// Names of one file stay names of one file.
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
      libraries[i].step.emplace(Step::join(*second.input, second.path, first.path));
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

/// Every list of the package's files, brought up to date.
std::vector<RecordWork> followInLists(const PackageState& state,
                                      llvm::ArrayRef<JournalEntry> entries,
                                      std::vector<Problem>& warnings) {
  RecordRequest request{state.place, state.journal, recordChanges(entries), !entries.empty()};
  std::vector<RecordWork> lists;
  auto add = [&](const std::string& path,
                 llvm::function_ref<llvm::Expected<RecordWork>(const RecordRequest&)> plan) {
    if (path.empty())
      return;
    if (llvm::Expected<RecordWork> list = plan(request)) {
      lists.push_back(std::move(*list));
    } else {
      Problem problem = toProblem(list.takeError(), path);
      problem.code = std::nullopt;
      problem.message = "was left as it is: " + problem.message;
      warnings.push_back(std::move(problem));
    }
  };
  add(state.place.record, planRecord);
  // conda lists RECORD, too.
  for (const RecordWork& record : lists)
    if (record.entry)
      request.changes.push_back(
          {record.entry->path, record.entry->sha256After, record.wanted.size()});
  add(state.place.condaMeta, planCondaMeta);
  return lists;
}

// The old entries and those of the new ones that are not among them.
Journal unionOf(const Journal& old, const Journal& wanted) {
  Journal both = old;
  for (const JournalEntry& entry : wanted.entries)
    if (llvm::none_of(old.entries, [&](const JournalEntry& known) {
          return known.path == entry.path && known.sha256After == entry.sha256After &&
                 known.sha256Before == entry.sha256Before;
        }))
      both.entries.push_back(entry);
  return both;
}

// First comes a journal that knows the old state and the new one, whichever a file will be found
// in after a crash; last one that knows the new state only.
llvm::Error addFirstJournal(commit::Phase& phase, const PackageState& state,
                            const Journal& wanted) {
  if (wanted.entries.empty())
    return llvm::Error::success();
  const std::string text = journalText(unionOf(state.journal, wanted));
  return append(phase, state.place.path,
                Step::write(state.journalFile.get(), state.place.path, text));
}

llvm::Error addLastJournal(commit::Phase& phase, const PackageState& state, const Journal& wanted) {
  const std::string& path = state.place.path;
  if (wanted.entries.empty()) {
    if (state.journalFile)
      phase.push_back(Step::remove(path));
    return llvm::Error::success();
  }
  if (state.journal.entries.empty() || isSame(wanted, unionOf(state.journal, wanted)))
    return llvm::Error::success();
  return append(phase, path, Step::write(nullptr, path, journalText(wanted)));
}

constexpr llvm::StringLiteral kReinstall =
    "install the package again: that gives the original files back and removes the journal";

// What a journal names is written to: it must not be anything.
bool leadsOut(llvm::StringRef entry) {
  return llvm::sys::path::is_absolute(entry) ||
         llvm::is_contained(
             llvm::make_range(llvm::sys::path::begin(entry), llvm::sys::path::end(entry)), "..");
}

} // namespace

llvm::Expected<PackageState> readState(JournalPlace place) {
  llvm::Expected<commit::JournalFile> file = commit::openJournal(place.path);
  if (!file) {
    Problem problem = toProblem(file.takeError(), place.path);
    if (problem.code == ErrorCode::Malformed)
      problem.hint = kReinstall.str();
    return toError(std::move(problem));
  }
  for (const JournalEntry& entry : file->journal.entries)
    if (isLibraryEntry(entry, place) && leadsOut(entry.path))
      return at(place.path, fail(ErrorCode::Malformed,
                                 "names " + entry.path + ", which is no file of the package",
                                 kReinstall.str()));
  return PackageState{std::move(place), std::move(file->input), std::move(file->journal)};
}

bool isLibraryEntry(const JournalEntry& entry, const JournalPlace& place) {
  return entry.path != relativeTo(place, place.record) &&
         entry.path != relativeTo(place, place.condaMeta);
}

llvm::Error commitLibraries(const PackageState& state, std::vector<StagedLibrary>& staged,
                            std::vector<JournalEntry> kept, std::vector<Problem>& warnings) {
  joinTwins(staged);
  Journal wanted{std::move(kept)};
  for (const StagedLibrary& library : staged)
    llvm::append_range(wanted.entries, library.history);
  // Whichever were changed last: the next run must not find another order and write.
  llvm::stable_sort(wanted.entries,
                    [](const JournalEntry& a, const JournalEntry& b) { return a.path < b.path; });
  std::vector<RecordWork> lists = followInLists(state, wanted.entries, warnings);
  if (!wanted.entries.empty())
    for (const RecordWork& list : lists)
      if (list.entry)
        wanted.entries.push_back(*list.entry);
  bool isListChanged = llvm::any_of(lists, [](const RecordWork& list) { return list.isChanged(); });
  if (staged.empty() && !isListChanged && isSame(wanted, state.journal))
    return llvm::Error::success();

  commit::Phase phases[3]; // first journal, files, last journal
  if (llvm::Error error = addFirstJournal(phases[0], state, wanted))
    return error;
  for (StagedLibrary& library : staged)
    phases[1].push_back(std::move(*library.step));
  for (const RecordWork& list : lists)
    if (list.isChanged())
      if (llvm::Error error = append(phases[1], list.path, list.stage()))
        return error;
  if (llvm::Error error = addLastJournal(phases[2], state, wanted))
    return error;
  return commit::commitTogether(phases);
}

} // namespace tcfix::apply
