#include "commit/outcome.h"

#include "base/enum_name.h"
#include "base/parallel.h"
#include "formats/formats.h"
#include "io/digest.h"

namespace tcfix::commit {

llvm::StringRef nameOf(FileStatus status) {
  return enumName<FileStatus::Failed>(
      status, {"changed", "would_change", "unchanged", "skipped", "failed"});
}

void FileOutcome::leaveUnchanged() {
  status = FileStatus::Unchanged;
  edit = {};
  sha256After = sha256Before;
}

void FileOutcome::fail(Problem why) {
  leaveUnchanged();
  status = FileStatus::Failed;
  problem = std::move(why);
}

llvm::Error describeRewrite(FileOutcome& outcome, Bytes bytes, const OutcomeDetail& detail) {
  const Rewrite& rewrite = outcome.edit.rewrite;
  bool isChanged = !rewrite.isIdentity();
  outcome.status = !isChanged         ? FileStatus::Unchanged
                   : detail.isWriting ? FileStatus::Changed
                                      : FileStatus::WouldChange;
  if (detail.withHashes) {
    // Both hashes take long; compute them in parallel.
    parallelFor(isChanged ? 2 : 1, 2, [&](size_t which) {
      if (which == 0)
        outcome.sha256Before = io::sha256Hex(bytes);
      else
        outcome.sha256After = io::sha256Hex(RewrittenView(bytes, rewrite));
    });
    if (!isChanged)
      outcome.sha256After = outcome.sha256Before;
  }
  if (!isChanged || !detail.withImages)
    return llvm::Error::success();
  // Describes the result as read from the new bytes, not as planned.
  llvm::Expected<Image> before = formats::inspect(bytes);
  if (!before)
    return before.takeError();
  llvm::Expected<Image> after = formats::inspect(rewritten(rewrite, bytes));
  if (!after)
    return after.takeError();
  outcome.before = std::move(*before);
  outcome.after = std::move(*after);
  return llvm::Error::success();
}

FileCounts countFiles(llvm::ArrayRef<FileOutcome> files) {
  FileCounts counts;
  for (const FileOutcome& file : files)
    ++(file.status == FileStatus::Unchanged ? counts.unchanged
       : file.status == FileStatus::Skipped ? counts.skipped
       : file.status == FileStatus::Failed  ? counts.failed
                                            : counts.changed);
  return counts;
}

} // namespace tcfix::commit
