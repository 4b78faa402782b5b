#include "commit/outcome.h"

#include "base/enum_name.h"
#include "base/parallel.h"
#include "formats/formats.h"
#include "io/digest.h"
#include "io/system.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tcfix::commit {

namespace {

/// A new file in memory, for readers that need it in one piece. Its holes take no memory: the
/// system maps unwritten pages to zeros.
class NewFile {
public:
  static llvm::Expected<NewFile> of(const RewrittenView& view) {
    constexpr uint64_t kBlock = 1 << 16;
    NewFile file;
    file.size = view.size();
    file.memory.reset(static_cast<uint8_t*>(std::calloc(std::max<uint64_t>(view.size(), 1), 1)));
    if (!file.memory)
      return fail(ErrorCode::Unreadable, "there is not enough memory for the new file");
    ByteVector scratch;
    for (uint64_t offset = 0; offset < view.size(); offset += kBlock) {
      if (llvm::Error error = io::system::refuseIfInterrupted())
        return error;
      Bytes block = view.read(offset, std::min(kBlock, view.size() - offset), scratch);
      if (block.front() || std::memcmp(block.data(), block.data() + 1, block.size() - 1) != 0)
        std::memcpy(file.memory.get() + offset, block.data(), block.size());
    }
    return file;
  }

  Bytes bytes() const { return {memory.get(), size}; }

private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<uint8_t, Free> memory;
  uint64_t size = 0;
};

} // namespace

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
    std::optional<Problem> problems[2];
    parallelFor(isChanged && !detail.isHashedLater ? 2 : 1, 2, [&](size_t which) {
      llvm::Error error =
          which == 0 ? io::sha256Of(bytes).moveInto(outcome.sha256Before)
                     : io::sha256Of(RewrittenView(bytes, rewrite)).moveInto(outcome.sha256After);
      if (error)
        problems[which] = toProblem(std::move(error), {});
    });
    for (std::optional<Problem>& problem : problems)
      if (problem)
        return toError(std::move(*problem));
    if (!isChanged)
      outcome.sha256After = outcome.sha256Before;
  }
  if (!isChanged || !detail.withImages)
    return llvm::Error::success();
  // Describes the result as read from the new bytes, not as planned.
  llvm::Expected<Image> before = formats::inspect(bytes);
  if (!before)
    return before.takeError();
  llvm::Expected<NewFile> file = NewFile::of(RewrittenView(bytes, rewrite));
  if (!file)
    return file.takeError();
  llvm::Expected<Image> after = formats::inspect(file->bytes());
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
