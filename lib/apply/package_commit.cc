#include "apply/package_commit.h"

#include "apply/codesign_tool.h"
#include "apply/record_file.h"
#include "apply/transaction.h"
#include "base/parallel.h"
#include "io/digest.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::apply {

namespace {

// Waiting for disks is not work for cores: more files than cores are synced at once.
constexpr unsigned kFilesAtOnce = 16;

bool isChanged(const LibraryWork& work) {
  return work.isOpen() && !work.change.isIdentity();
}

/// A library's new file, staged, and its history as the journal shall tell it.
struct StagedLibrary {
  LibraryWork* work = nullptr;
  std::optional<Step> step;
  std::vector<JournalEntry> history; ///< empty: it is the installer's own again
  std::optional<Problem> problem;
};

llvm::Error signWithTool(StagedLibrary& staged, const PackageChange& change) {
  LibraryWork& work = *staged.work;
  if (!change.options.signWithCodesign || formats::sniff(work.input->bytes()) != Format::MachO)
    return llvm::Error::success();
  io::StagedFile& file = *staged.step->staged();
  llvm::Expected<Rewrite> rewrite = signStaged(*work.input, file.path());
  if (!rewrite)
    return rewrite.takeError();
  work.change = std::move(*rewrite);
  if (llvm::Error error = file.reopen())
    return error;
  return file.sync();
}

JournalEntry replacementEntry(const LibraryWork& work, const OriginalFile& original,
                              const std::string& relative) {
  Bytes rebuilt = work.replacement->bytes();
  return {relative,
          io::sha256Hex(original.bytes),
          io::sha256Hex(rebuilt),
          original.modifiedNs,
          differenceOf(rebuilt, original.bytes, "undo"),
          original.link,
          std::nullopt};
}

// The journal's entry for the edits, from the new file as it lies on the disk.
llvm::Expected<std::optional<JournalEntry>> editEntry(StagedLibrary& staged,
                                                      const plan::Draft& draft,
                                                      const PackageChange& change,
                                                      const OriginalFile& original) {
  LibraryWork& work = *staged.work;
  llvm::Expected<io::InputFile> file = io::InputFile::open(staged.step->staged()->path());
  if (!file)
    return file.takeError();
  JournalEntry entry;
  entry.path = relativeTo(change.place, work.path);
  entry.sha256Before = io::sha256Hex(work.base());
  entry.sha256After = io::sha256Hex(file->bytes());
  work.outcome.sha256After = entry.sha256After;
  if (entry.sha256Before == entry.sha256After)
    return std::nullopt;
  entry.modifiedNs = original.modifiedNs;
  entry.link = original.link;
  entry.reverse = work.isPristine() ? reverseOf(work.change, work.input->bytes())
                                    : differenceOf(file->bytes(), work.base(), "undo");
  llvm::Expected<Image> image = formats::inspect(file->bytes(), {/*withSymbols=*/false});
  if (!image)
    return image.takeError();
  entry.plan = rememberPlan(draft, *image, change.arch);
  entry.plan->wishes = work.wishes;
  entry.plan->stamp = file->stamp();
  return entry;
}

llvm::Error stage(StagedLibrary& staged, const plan::Draft& draft, const PackageChange& change) {
  LibraryWork& work = *staged.work;
  OriginalFile original = originalOf(work);
  if (work.replacement)
    staged.history.push_back(
        replacementEntry(work, original, relativeTo(change.place, work.path)));
  else if (!work.history.empty() && !work.history.front().plan)
    staged.history.push_back(work.history.front());

  bool isOriginalAgain = staged.history.empty() && draft.wishes().empty() &&
                         work.outcome.sha256After == io::sha256Hex(original.bytes);
  if (isOriginalAgain && !original.link.empty()) {
    llvm::Expected<Step> step = Step::link(*work.input, work.path, original.link);
    if (!step)
      return step.takeError();
    staged.step.emplace(std::move(*step));
    return llvm::Error::success();
  }
  llvm::Expected<Step> step = Step::replace(
      *work.input, work.path, work.change,
      isOriginalAgain ? std::optional<int64_t>(original.modifiedNs) : std::nullopt);
  if (!step)
    return step.takeError();
  staged.step.emplace(std::move(*step));
  if (isOriginalAgain)
    return llvm::Error::success();
  if (llvm::Error error = signWithTool(staged, change))
    return error;
  llvm::Expected<std::optional<JournalEntry>> entry = editEntry(staged, draft, change, original);
  if (!entry)
    return entry.takeError();
  if (*entry)
    staged.history.push_back(std::move(**entry));
  return llvm::Error::success();
}

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

std::vector<RecordChange> recordChanges(const PackageChange& change,
                                        llvm::ArrayRef<JournalEntry> entries) {
  std::vector<RecordChange> changes;
  for (const std::unique_ptr<LibraryWork>& work : change.works) {
    const std::string relative = relativeTo(change.place, work->path);
    const JournalEntry* last = nullptr;
    for (const JournalEntry& entry : entries)
      if (entry.path == relative)
        last = &entry;
    if (last)
      changes.push_back({relative, last->sha256After, last->reverse.oldSize});
  }
  return changes;
}

llvm::Expected<Step> journalStep(const PackageChange& change, const Journal& journal) {
  const std::string text = textOf(journal);
  if (!change.journalFile)
    return Step::create(change.place.path, text);
  return Step::replace(*change.journalFile, change.place.path,
                       differenceOf(change.journalFile->bytes(), bytesOf(text), "journal"));
}

bool isSame(const Journal& a, const Journal& b) {
  return textOf(a) == textOf(b);
}

} // namespace

llvm::Error commitPackage(const PackageChange& change, std::vector<Problem>& warnings) {
  std::vector<StagedLibrary> staged;
  std::vector<const plan::Draft*> drafts;
  for (size_t i = 0; i < change.works.size(); ++i)
    if (isChanged(*change.works[i])) {
      staged.emplace_back().work = change.works[i].get();
      drafts.push_back(change.drafts[i]);
    }
  parallelFor(staged.size(), kFilesAtOnce, [&](size_t i) {
    if (io::system::isInterrupted())
      staged[i].problem = {ErrorCode::Interrupted, "interrupted; nothing was changed", {}, {}};
    else if (llvm::Error error = stage(staged[i], *drafts[i], change))
      staged[i].problem = toProblem(std::move(error), staged[i].work->path);
  });
  for (const StagedLibrary& library : staged)
    if (library.problem)
      return fail(library.problem->code, library.work->path + ": " + library.problem->message,
                  library.problem->hint);
  joinTwins(staged);

  // The journal as it will be: what other files have, then these.
  Journal wanted;
  const std::string recordPath = relativeTo(change.place, change.place.record);
  for (const JournalEntry& entry : change.journal.entries) {
    bool isReplanned = llvm::any_of(change.works, [&](const auto& work) {
      return work->isOpen() && relativeTo(change.place, work->path) == entry.path;
    });
    if (!isReplanned && entry.path != recordPath)
      wanted.entries.push_back(entry);
  }
  for (const std::unique_ptr<LibraryWork>& work : change.works) {
    const auto* now =
        llvm::find_if(staged, [&](const StagedLibrary& one) { return one.work == work.get(); });
    if (work->isOpen())
      llvm::append_range(wanted.entries, now != staged.end() ? now->history : work->history);
  }

  RecordWork record;
  if (!change.place.record.empty()) {
    llvm::Expected<RecordWork> planned =
        planRecord(change.place, change.journal, recordChanges(change, wanted.entries),
                   !wanted.entries.empty());
    if (planned) {
      record = std::move(*planned);
    } else {
      Problem problem = toProblem(planned.takeError(), change.place.record);
      problem.message = "was left as it is: " + problem.message;
      warnings.push_back(std::move(problem));
    }
  }
  if (record.entry && !wanted.entries.empty())
    wanted.entries.push_back(*record.entry);
  if (staged.empty() && !record.isChanged() && isSame(wanted, change.journal))
    return llvm::Error::success();

  // First a journal that knows the old state and the new one, whichever a file will be found in;
  // at the end one that knows the new state only.
  std::vector<Step> steps;
  Journal both = change.journal;
  for (const JournalEntry& entry : wanted.entries)
    if (llvm::none_of(both.entries, [&](const JournalEntry& old) {
          return old.path == entry.path && old.sha256After == entry.sha256After &&
                 old.sha256Before == entry.sha256Before;
        }))
      both.entries.push_back(entry);
  auto add = [&](llvm::Expected<Step> step) {
    if (!step)
      return step.takeError();
    steps.push_back(std::move(*step));
    return llvm::Error::success();
  };
  bool isFirst = change.journal.entries.empty();
  if (!wanted.entries.empty())
    if (llvm::Error error = add(journalStep(change, isFirst ? wanted : both)))
      return within(change.place.path, std::move(error));
  for (StagedLibrary& library : staged)
    steps.push_back(std::move(*library.step));
  if (record.isChanged())
    if (llvm::Error error = add(Step::replace(
            *record.input, change.place.record,
            differenceOf(record.input->bytes(), bytesOf(record.wanted), "RECORD"),
            record.entry ? std::nullopt
                         : std::optional<int64_t>(record.modifiedNs))))
      return within(change.place.record, std::move(error));
  if (wanted.entries.empty() && change.journalFile)
    steps.push_back(Step::remove(*change.journalFile, change.place.path));
  else if (!isFirst && !isSame(wanted, both))
    if (llvm::Error error = add(Step::create(change.place.path, textOf(wanted))))
      return within(change.place.path, std::move(error));
  return commitAll(steps);
}

} // namespace tcfix::apply
