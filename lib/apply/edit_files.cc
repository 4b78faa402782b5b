#include "apply/edit_files.h"

#include "apply/inherited_paths.h"
#include "base/parallel.h"
#include "commit/codesign_tool.h"
#include "commit/journal.h"
#include "commit/locks.h"
#include "commit/transaction.h"
#include "io/digest.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::apply {

namespace {

using commit::JournalFile;
using commit::Step;

/// A file to edit: what was read, and its staged new content.
struct EditWork {
  FileOutcome outcome;
  std::unique_ptr<io::InputFile> input;
  std::optional<Step> step;

  bool isOpen() const { return !outcome.problem; }
  void fail(llvm::Error error) {
    outcome.fail(toProblem(std::move(error), outcome.path));
    step.reset();
  }
};

llvm::Error plan(EditWork& work, const formats::EditRequest& request, const EditOptions& options,
                 InheritedPaths& inherited) {
  if (llvm::Error error = io::system::refuseIfInterrupted())
    return error;
  Bytes bytes = work.input->bytes();
  llvm::Expected<EditOutcome> edit =
      formats::rewrite(bytes, llvm::sys::path::filename(work.input->path()), request);
  if (!edit)
    return edit.takeError();
  work.outcome.edit = std::move(*edit);
  for (std::string& warning : inherited.warningsFor(work.input->path(), bytes, work.outcome.edit))
    work.outcome.edit.warnings.push_back(std::move(warning));
  return commit::describeRewrite(work.outcome, bytes,
                                 {.isWriting = !options.isDryRun,
                                  .withHashes = options.withHashes || !options.journal.empty(),
                                  .withImages = options.isDryRun});
}

// The built-in signature showed that one is needed; replace it with codesign's.
llvm::Error signAgain(Step& step, EditWork& work) {
  llvm::Expected<std::optional<Rewrite>> rewrite = commit::signWithTool(step, *work.input);
  if (!rewrite)
    return rewrite.takeError();
  if (!*rewrite)
    return llvm::Error::success();
  EditOutcome& edit = work.outcome.edit;
  edit.rewrite = std::move(**rewrite);
  llvm::erase_if(edit.changes,
                 [](const Change& change) { return change.operation == Operation::Sign; });
  edit.changes.push_back({Operation::Sign, "adhoc", {}, "signed by the system's codesign", {}});
  if (work.outcome.sha256After.empty())
    return llvm::Error::success();
  return io::sha256Of(RewrittenView(work.input->bytes(), edit.rewrite))
      .moveInto(work.outcome.sha256After);
}

llvm::Error stage(EditWork& work, const EditOptions& options, const commit::Locks& locks) {
  if (llvm::Error error = io::system::refuseIfInterrupted())
    return error;
  llvm::Expected<io::Place> place = locks.place(work.input->path());
  if (!place)
    return place.takeError();
  llvm::Expected<Step> step =
      Step::replace(*work.input, std::move(*place), work.outcome.edit.rewrite);
  if (!step)
    return step.takeError();
  if (options.signWithCodesign)
    if (llvm::Error error = signAgain(*step, work))
      return error;
  // Sync each file now: a staged file keeps a descriptor open until it is synced.
  if (llvm::Error error = step->sync())
    return error;
  work.step.emplace(std::move(*step));
  return llvm::Error::success();
}

llvm::Error extendJournal(const std::string& path, JournalFile old,
                          const std::vector<EditWork>& works, const commit::Locks& locks) {
  std::vector<commit::JournalEntry>& entries = old.journal.entries;
  size_t known = entries.size();
  for (const EditWork& work : works)
    if (work.step)
      entries.push_back({work.input->path(),
                         work.outcome.sha256Before,
                         work.outcome.sha256After,
                         work.input->stamp().modifiedNs,
                         reverseOf(work.outcome.edit.rewrite, work.input->bytes()),
                         {},
                         {}});
  if (entries.size() == known)
    return llvm::Error::success();
  llvm::Expected<std::string> text = journalText(old.journal);
  if (!text)
    return text.takeError();
  llvm::Expected<io::Place> place = locks.place(path);
  if (!place)
    return place.takeError();
  return commit::writeFile(old.input.get(), std::move(*place), *text);
}

llvm::Expected<JournalFile> openOldJournal(const std::string& path, const commit::Locks& locks) {
  if (llvm::Error error = locks.checkJournal(path))
    return error;
  llvm::Expected<JournalFile> old = commit::openJournal(path);
  if (old)
    return old;
  Problem problem = toProblem(old.takeError(), path);
  problem.hint = "choose a journal file that does not exist yet";
  return toError(std::move(problem));
}

std::vector<EditWork> openAll(llvm::ArrayRef<std::string> paths, const commit::Locks& locks) {
  std::vector<EditWork> works;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    EditWork work;
    work.outcome.path = path;
    llvm::Expected<io::InputFile> input = io::InputFile::open(path);
    if (!input)
      work.fail(input.takeError());
    else if (!seen.insert(input->path()).second)
      continue; // the same file under another name
    else if (llvm::Error error = locks.check(path))
      work.fail(std::move(error));
    else
      work.input = std::make_unique<io::InputFile>(std::move(*input));
    works.push_back(std::move(work));
  }
  return works;
}

// If the requested journal cannot be written, no file is changed.
void giveUp(EditRun& run, std::vector<EditWork>& works, Problem problem) {
  run.problems.push_back(std::move(problem));
  for (EditWork& work : works)
    if (work.isOpen() && (work.step || work.outcome.edit.changes.empty()))
      work.fail(fail(ErrorCode::CannotWrite, "not changed: the journal cannot be written"));
}

void commitAll(std::vector<EditWork>& works) {
  std::vector<EditWork*> staged;
  std::vector<Step*> steps;
  for (EditWork& work : works)
    if (work.step) {
      staged.push_back(&work);
      steps.push_back(&*work.step);
    }
  std::vector<std::optional<commit::CommitFailure>> failures = commit::commitEach(steps);
  for (size_t i = 0; i < staged.size(); ++i) {
    if (!failures[i])
      continue;
    const FileOutcome changed = staged[i]->outcome;
    staged[i]->fail(toError(failures[i]->problem));
    if (failures[i]->stuck.empty())
      continue;
    // Despite the problem, the new file is in place.
    std::optional<Problem> problem = std::move(staged[i]->outcome.problem);
    staged[i]->outcome = changed;
    staged[i]->outcome.problem = std::move(problem);
  }
}

} // namespace

EditRun editFiles(llvm::ArrayRef<std::string> paths, const formats::EditRequest& request,
                  const EditOptions& options, io::Notify notify) {
  EditRun run;
  const std::string journalPath = options.isDryRun ? std::string() : options.journal;
  commit::Locks locks(options.isDryRun ? llvm::ArrayRef<std::string>() : paths, journalPath, notify,
                      commit::Links::Followed);
  std::vector<EditWork> works = openAll(paths, locks);
  JournalFile journal;
  if (!journalPath.empty())
    if (llvm::Error error = openOldJournal(journalPath, locks).moveInto(journal))
      giveUp(run, works, toProblem(std::move(error), journalPath));

  {
    InheritedPaths inherited; // maps files, which Windows cannot replace before it is destroyed
    parallelFor(works.size(), commit::kFilesAtOnce, [&](size_t i) {
      EditWork& work = works[i];
      if (work.isOpen())
        if (llvm::Error error = work.input->checkWhole(plan(work, request, options, inherited)))
          work.fail(std::move(error));
      if (work.isOpen() && work.outcome.status == FileStatus::Changed)
        if (llvm::Error error = stage(work, options, locks))
          work.fail(std::move(error));
    });
  }

  if (!journalPath.empty())
    if (llvm::Error error = extendJournal(journalPath, std::move(journal), works, locks))
      giveUp(run, works, toProblem(std::move(error), journalPath));
  commitAll(works);
  for (EditWork& work : works)
    run.files.push_back(std::move(work.outcome));
  return run;
}

} // namespace tcfix::apply
