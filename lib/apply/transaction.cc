#include "apply/transaction.h"

#include "base/error.h"
#include "base/parallel.h"
#include "io/host.h"

#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::apply {

namespace {

using io::system::TemporaryFile;

std::string folderOf(const std::string& path) {
  return llvm::sys::path::parent_path(path).str();
}

llvm::Error placeLink(const std::string& path, const std::string& text) {
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createBeside(path);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = temporary->becomeLink(text))
    return error;
  return temporary->renameTo(path);
}

// The old file's bytes are still mapped, although its name is gone.
llvm::Error putBack(const io::InputFile& old, const std::string& path) {
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createBeside(path);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = temporary->write(0, old.bytes()))
    return error;
  llvm::Error attributes =
      io::exists(path) ? temporary->keepAttributesOf(path) : temporary->makeReadableLikeNewFiles();
  if (attributes)
    return attributes;
  if (llvm::Error error = temporary->setModified(old.stamp().modifiedNs))
    return error;
  if (llvm::Error error = temporary->sync())
    return error;
  return temporary->renameTo(path);
}

// All at once: a disk takes many in the time of one. The first problem, if there is any.
std::optional<Problem> syncAll(size_t count, llvm::function_ref<llvm::Error(size_t)> sync) {
  std::vector<std::optional<Problem>> problems(count);
  parallelFor(count, kFilesAtOnce, [&](size_t i) {
    if (llvm::Error error = sync(i))
      problems[i] = toProblem(std::move(error), {});
  });
  for (std::optional<Problem>& problem : problems)
    if (problem)
      return std::move(problem);
  return std::nullopt;
}

} // namespace

Step::Step(Kind kind, const io::InputFile* old, std::string path)
    : kind(kind), old(old), target(std::move(path)), oldLink(io::system::readLink(target)) {}

llvm::Expected<Step> Step::replace(const io::InputFile& old, const std::string& path,
                                   const Rewrite& rewrite, std::optional<int64_t> modifiedNs) {
  Step step(Kind::Replace, &old, path);
  llvm::Expected<io::StagedFile> staged = io::StagedFile::stage(old, rewrite, path);
  if (!staged)
    return staged.takeError();
  if (modifiedNs)
    if (llvm::Error error = staged->setModified(*modifiedNs))
      return error;
  step.file.emplace(std::move(*staged));
  return step;
}

llvm::Expected<Step> Step::create(const std::string& path, llvm::StringRef content) {
  Step step(Kind::Create, nullptr, path);
  if (std::error_code error = io::createDirectories(folderOf(path), io::Access::Owners))
    return fail(ErrorCode::CannotWrite, "its folder cannot be made: " + error.message());
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createBeside(path);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = temporary->write(0, bytesOf(content)))
    return error;
  if (llvm::Error error = temporary->makeReadableLikeNewFiles())
    return error;
  step.temporary.emplace(std::move(*temporary));
  return step;
}

llvm::Expected<Step> Step::link(const io::InputFile& old, const std::string& path,
                                const std::string& text) {
  Step step(Kind::Link, &old, path);
  step.text = text;
  return step;
}

Step Step::remove(const io::InputFile& old, const std::string& path) {
  return Step(Kind::Remove, &old, path);
}

Step Step::join(const io::InputFile& old, const std::string& path, const std::string& twin) {
  Step step(Kind::Join, &old, path);
  step.text = twin;
  return step;
}

llvm::Error Step::sync() {
  if (file)
    return file->sync();
  return temporary ? temporary->sync() : llvm::Error::success();
}

llvm::Error Step::commit() {
  switch (kind) {
  case Kind::Replace:
    return file->commit();
  case Kind::Create:
    return temporary->renameTo(target);
  case Kind::Link:
    return placeLink(target, text);
  case Kind::Remove:
    return io::system::removeFile(target);
  case Kind::Join: {
    llvm::Expected<TemporaryFile> twin = TemporaryFile::createBeside(target);
    if (!twin)
      return twin.takeError();
    if (llvm::Error error = twin->becomeTwinOf(text))
      return error;
    return twin->renameTo(target);
  }
  }
  return llvm::Error::success();
}

llvm::Error Step::rollBack() {
  if (kind == Kind::Create)
    return io::system::removeFile(target);
  return oldLink ? placeLink(target, *oldLink) : putBack(*old, target);
}

llvm::Error commitAll(std::vector<Step>& steps) {
  std::optional<Problem> failure =
      syncAll(steps.size(), [&](size_t i) { return within(steps[i].path(), steps[i].sync()); });
  if (failure)
    return fail(failure->code, failure->message, failure->hint);
  std::set<std::string> touched;
  size_t done = 0;
  for (; done < steps.size() && !failure; ++done) {
    touched.insert(folderOf(steps[done].path()));
    if (io::system::isInterrupted())
      failure = {ErrorCode::Interrupted, "interrupted; nothing was changed", {}, {}};
    else if (llvm::Error error = steps[done].commit())
      failure = toProblem(within(steps[done].path(), std::move(error)), {});
  }
  if (failure)
    for (--done; done-- > 0;)
      if (llvm::Error error = steps[done].rollBack())
        failure->message += "; " + steps[done].path() +
                            " could not be put back: " + toProblem(std::move(error), {}).message;
  std::vector<std::string> folders(touched.begin(), touched.end());
  std::optional<Problem> unsynced =
      syncAll(folders.size(), [&](size_t i) { return io::system::syncFolder(folders[i]); });
  if (!failure)
    failure = std::move(unsynced);
  if (failure)
    return fail(failure->code, failure->message, failure->hint);
  return llvm::Error::success();
}

} // namespace tcfix::apply
