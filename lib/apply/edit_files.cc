#include "apply/edit_files.h"

#include "apply/codesign_tool.h"
#include "apply/journal.h"
#include "apply/locks.h"
#include "apply/transaction.h"
#include "base/parallel.h"
#include "io/digest.h"
#include "io/file.h"
#include "io/staged.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::apply {

namespace {

/// A file on its way: what was read, what shall become of it.
struct Work {
  FileOutcome outcome;
  std::optional<io::InputFile> input;
  std::optional<io::StagedFile> staged;

  bool isOpen() const { return !outcome.problem; }
  void fail(llvm::Error error) {
    outcome.status = FileStatus::Failed;
    outcome.problem = toProblem(std::move(error), outcome.path);
    outcome.edit = {}; // nothing of it was done
    outcome.sha256After = outcome.sha256Before;
    staged.reset();
  }
};

llvm::Error refuseIfInterrupted() {
  if (io::system::isInterrupted())
    return fail(ErrorCode::Interrupted, "was not changed: interrupted");
  return llvm::Error::success();
}

// Step 1: read and plan. Nothing is written.
llvm::Error plan(Work& work, const formats::EditRequest& request, const EditOptions& options) {
  if (llvm::Error error = refuseIfInterrupted())
    return error;
  Bytes bytes = work.input->bytes();
  llvm::StringRef name = llvm::sys::path::filename(work.input->path());
  llvm::Expected<EditOutcome> edit = formats::rewrite(bytes, name, request);
  if (!edit)
    return edit.takeError();
  FileOutcome& outcome = work.outcome;
  outcome.edit = std::move(*edit);
  bool isChanged = !outcome.edit.rewrite.isIdentity();
  outcome.status = !isChanged         ? FileStatus::Unchanged
                   : options.isDryRun ? FileStatus::WouldChange
                                      : FileStatus::Changed;
  if (options.withHashes || !options.journal.empty()) {
    // Two long sums over the same bytes, at the same time.
    parallelFor(isChanged ? 2 : 1, 2, [&](size_t which) {
      if (which == 0)
        outcome.sha256Before = io::sha256Hex(bytes);
      else
        outcome.sha256After = io::sha256Hex(RewrittenView(bytes, outcome.edit.rewrite));
    });
    if (!isChanged)
      outcome.sha256After = outcome.sha256Before;
  }
  if (options.isDryRun && isChanged) {
    // The reader, not the writer, says what the result is.
    ByteVector result = rewritten(outcome.edit.rewrite, bytes);
    llvm::Expected<Image> before = formats::inspect(bytes);
    if (!before)
      return before.takeError();
    llvm::Expected<Image> after = formats::inspect(result);
    if (!after)
      return after.takeError();
    outcome.before = std::move(*before);
    outcome.after = std::move(*after);
  }
  return llvm::Error::success();
}

// Step 2: the complete new file, on the disk, beside the old one.
llvm::Error stage(Work& work, const EditOptions& options) {
  if (llvm::Error error = refuseIfInterrupted())
    return error;
  llvm::Expected<io::StagedFile> staged =
      io::StagedFile::stage(*work.input, work.outcome.edit.rewrite);
  if (!staged)
    return staged.takeError();
  if (options.signWithCodesign && formats::sniff(work.input->bytes()) == Format::MachO) {
    // Our own signature told that one is needed; codesign's takes its place.
    EditOutcome& edit = work.outcome.edit;
    llvm::Expected<Rewrite> rewrite = signStaged(*work.input, staged->path());
    if (!rewrite)
      return rewrite.takeError();
    if (llvm::Error error = staged->reopen())
      return error;
    edit.rewrite = std::move(*rewrite);
    llvm::erase_if(edit.changes,
                   [](const Change& change) { return change.operation == Operation::Sign; });
    edit.changes.push_back({Operation::Sign, "adhoc", {}, "signed by the system's codesign", {}});
    if (!work.outcome.sha256After.empty())
      work.outcome.sha256After =
          io::sha256Hex(RewrittenView(work.input->bytes(), work.outcome.edit.rewrite));
  }
  if (llvm::Error error = staged->sync())
    return error;
  work.staged.emplace(std::move(*staged));
  return llvm::Error::success();
}

// Step 3: the way back, written before anything is replaced, so that it is there whatever happens.
llvm::Error extendJournal(const std::string& path, Journal journal,
                          const std::vector<Work>& works) {
  size_t known = journal.entries.size();
  for (const Work& work : works)
    if (work.staged)
      journal.entries.push_back({work.input->path(),
                                 work.outcome.sha256Before,
                                 work.outcome.sha256After,
                                 work.input->stamp().modifiedNs,
                                 reverseOf(work.outcome.edit.rewrite, work.input->bytes()),
                                 {},
                                 {}});
  if (journal.entries.size() == known)
    return llvm::Error::success();
  return io::writeWhole(path, bytesOf(journalText(journal)));
}

// What a journal holds already; one that does not exist yet holds nothing.
llvm::Expected<Journal> readOldJournal(const std::string& path, const Locks& locks) {
  if (llvm::Error error = locks.checkJournal(path))
    return error;
  llvm::Expected<Journal> old = readJournal(path);
  if (old)
    return old;
  Problem problem = toProblem(old.takeError(), path);
  if (problem.code == ErrorCode::NotFound)
    return Journal();
  return fail(problem.code, problem.message, "name a journal that does not exist yet");
}

std::vector<Work> openAll(llvm::ArrayRef<std::string> paths, const Locks& locks) {
  std::vector<Work> works;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    Work work;
    work.outcome.path = path;
    llvm::Expected<io::InputFile> input = io::InputFile::open(path);
    if (!input)
      work.fail(input.takeError());
    else if (!seen.insert(input->path()).second)
      continue; // the same file by another name
    else if (llvm::Error error = locks.check(path))
      work.fail(std::move(error));
    else
      work.input.emplace(std::move(*input));
    works.push_back(std::move(work));
  }
  return works;
}

// Without the way back that was asked for, nothing is changed.
void giveUp(EditRun& run, std::vector<Work>& works, Problem problem) {
  run.problems.push_back(std::move(problem));
  for (Work& work : works)
    if (work.isOpen() && (work.staged || work.outcome.edit.changes.empty()))
      work.fail(fail(ErrorCode::CannotWrite, "was not changed: there is no journal to write to"));
}

} // namespace

llvm::StringRef nameOf(FileStatus status) {
  switch (status) {
  case FileStatus::Changed:
    return "changed";
  case FileStatus::WouldChange:
    return "would_change";
  case FileStatus::Unchanged:
    return "unchanged";
  case FileStatus::Skipped:
    return "skipped";
  case FileStatus::Failed:
    return "failed";
  }
  return {};
}

FileCounts countFiles(llvm::ArrayRef<FileOutcome> files) {
  FileCounts counts;
  for (const FileOutcome& file : files)
    switch (file.status) {
    case FileStatus::Changed:
    case FileStatus::WouldChange:
      ++counts.changed;
      break;
    case FileStatus::Unchanged:
      ++counts.unchanged;
      break;
    case FileStatus::Skipped:
      ++counts.skipped;
      break;
    case FileStatus::Failed:
      ++counts.failed;
      break;
    }
  return counts;
}

EditRun editFiles(llvm::ArrayRef<std::string> paths, const formats::EditRequest& request,
                  const EditOptions& options, io::Notify notify) {
  EditRun run;
  bool isWriting = !options.isDryRun;
  Locks locks(isWriting ? paths : llvm::ArrayRef<std::string>(),
              isWriting ? options.journal : std::string(), notify, Links::Followed);
  std::vector<Work> works = openAll(paths, locks);

  bool hasJournal = isWriting && !options.journal.empty();
  Journal journal;
  if (hasJournal) {
    llvm::Error error = readOldJournal(options.journal, locks).moveInto(journal);
    if (error)
      giveUp(run, works, toProblem(std::move(error), options.journal));
  }

  parallelFor(works.size(), kFilesAtOnce, [&](size_t i) {
    Work& work = works[i];
    if (work.isOpen())
      if (llvm::Error error = plan(work, request, options))
        work.fail(std::move(error));
    if (work.isOpen() && work.outcome.status == FileStatus::Changed)
      if (llvm::Error error = stage(work, options))
        work.fail(std::move(error));
  });

  if (hasJournal)
    if (llvm::Error error = extendJournal(options.journal, std::move(journal), works))
      giveUp(run, works, toProblem(std::move(error), options.journal));

  std::set<std::string> folders;
  for (Work& work : works) {
    if (!work.staged)
      continue;
    llvm::Error error = refuseIfInterrupted();
    if (!error)
      error = work.staged->commit();
    if (error)
      work.fail(std::move(error));
    else
      folders.insert(llvm::sys::path::parent_path(work.input->path()).str());
  }
  for (const std::string& folder : folders)
    if (llvm::Error error = io::system::syncFolder(folder))
      run.problems.push_back(toProblem(std::move(error), folder));

  for (Work& work : works)
    run.files.push_back(std::move(work.outcome));
  return run;
}

} // namespace tcfix::apply
