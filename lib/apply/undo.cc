#include "apply/undo.h"

#include "io/digest.h"
#include "io/staged.h"

#include <llvm/Support/Path.h>

#include <map>

namespace tcfix::apply {

namespace {

// Everything that can be wrong is found out before anything is written.
llvm::Error restore(const JournalEntry& entry, const io::InputFile& file) {
  if (file.bytes().size() != entry.reverse.oldSize)
    return fail(ErrorCode::Malformed, "the journal does not fit: sizes disagree");
  if (io::sha256Hex(RewrittenView(file.bytes(), entry.reverse)) != entry.sha256Before)
    return fail(ErrorCode::Malformed, "the journal does not lead back to the original bytes");
  llvm::Expected<io::StagedFile> staged = io::StagedFile::stage(file, entry.reverse);
  if (!staged)
    return staged.takeError();
  if (llvm::Error error = staged->setModified(entry.modifiedNs))
    return error;
  if (llvm::Error error = staged->sync())
    return error;
  if (llvm::Error error = staged->commit())
    return error;
  return io::system::syncFolder(llvm::sys::path::parent_path(file.path()));
}

enum class Undone { Restored, Skipped };

// Takes back one file's entries, the oldest first in `entries`, from the one that made its present
// bytes down to the first.
llvm::Expected<Undone> undo(const std::string& path, llvm::ArrayRef<const JournalEntry*> entries,
                            io::Notify notify) {
  llvm::Expected<io::system::FolderLock> lock =
      io::system::FolderLock::acquire(llvm::sys::path::parent_path(path), notify);
  if (!lock)
    return lock.takeError();
  for (bool isFirst = true;; isFirst = false) {
    if (io::system::isInterrupted())
      return fail(ErrorCode::Interrupted, "was not restored: interrupted");
    llvm::Expected<io::InputFile> file = io::InputFile::open(path);
    if (!file)
      return file.takeError();
    std::string now = io::sha256Hex(file->bytes());
    if (now == entries.front()->sha256Before)
      return isFirst ? Undone::Skipped : Undone::Restored;
    while (!entries.empty() && entries.back()->sha256After != now)
      entries = entries.drop_back();
    // The bytes before the first of these entries were not made by an entry that is still here: the
    // file was replaced between two edits. It is back to what that one found.
    if (entries.empty() && !isFirst)
      return Undone::Restored;
    if (entries.empty())
      return fail(ErrorCode::ChangedMeanwhile, "was changed by someone else since; left as it is",
                  "install the package again to get the original back");
    if (llvm::Error error = restore(*entries.back(), *file))
      return error;
    entries = entries.drop_back();
    if (entries.empty())
      return Undone::Restored;
  }
}

} // namespace

llvm::Expected<UndoRun> undoJournal(llvm::StringRef path, io::Notify notify) {
  llvm::Expected<Journal> journal = readJournal(path);
  if (!journal)
    return journal.takeError();
  std::map<std::string, std::vector<const JournalEntry*>> files;
  for (const JournalEntry& entry : journal->entries)
    files[entry.path].push_back(&entry);
  UndoRun run;
  for (const auto& [name, steps] : files) {
    llvm::Expected<Undone> result = undo(name, steps, notify);
    if (!result)
      run.problems.push_back(toProblem(result.takeError(), name));
    else
      (*result == Undone::Restored ? run.restored : run.skipped).push_back(name);
  }
  return run;
}

} // namespace tcfix::apply
