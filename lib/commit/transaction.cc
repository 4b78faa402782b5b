#include "commit/transaction.h"

#include "base/parallel.h"
#include "io/system.h"

#include <llvm/ADT/STLExtras.h>

#include <map>

namespace tcfix::commit {

namespace {

using io::TemporaryFile;

/// Creates a file, calls `fill` to write it, and moves it to its place.
llvm::Error put(const io::Place& place, llvm::function_ref<llvm::Error(TemporaryFile&)> fill) {
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createIn(place.directory);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = fill(*temporary))
    return error;
  return temporary->renameTo(place.name);
}

llvm::Error putLink(const io::Place& place, const std::string& text) {
  return put(place, [&](TemporaryFile& file) { return file.becomeLink(text); });
}

// The old file's bytes are still mapped, although it has been unlinked; the new one has its
// attributes.
llvm::Error restoreFile(const io::InputFile& old, const io::Place& place) {
  return put(place, [&](TemporaryFile& file) -> llvm::Error {
    if (llvm::Error error = file.copyFrom(old, io::OnInterrupt::GoOn))
      return error;
    if (llvm::Error error = file.keepAttributesOf(place.name))
      return error;
    if (llvm::Error error = file.setModified(old.stamp().modifiedNs))
      return error;
    return file.sync();
  });
}

llvm::Error fill(TemporaryFile& file, const io::InputFile& old, const Rewrite& rewrite) {
  if (llvm::Error error = file.copyFrom(old, io::OnInterrupt::Stop))
    return error;
  if (rewrite.newSize != rewrite.oldSize)
    if (llvm::Error error = file.resize(rewrite.newSize))
      return error;
  for (const Move& move : rewrite.moves)
    if (llvm::Error error =
            file.write(move.to, old.bytes().slice(move.from, move.length), io::OnInterrupt::Stop))
      return error;
  for (const BytePatch& patch : rewrite.patches)
    if (llvm::Error error = file.write(patch.offset, patch.after))
      return error;
  return file.keepAttributesOf(old);
}

/// Runs `work` for all indexes in parallel, since a disk syncs many files in the time of one.
/// Returns the first problem, if any.
std::optional<Problem> firstProblem(size_t count, llvm::function_ref<llvm::Error(size_t)> work) {
  std::vector<std::optional<Problem>> problems(count);
  parallelFor(count, kFilesAtOnce, [&](size_t i) {
    if (llvm::Error error = work(i))
      problems[i] = toProblem(std::move(error), {});
  });
  for (std::optional<Problem>& problem : problems)
    if (problem)
      return std::move(problem);
  return std::nullopt;
}

std::optional<Problem> syncDirectories(llvm::ArrayRef<Step> steps) {
  std::map<io::Directory::Identity, io::Directory> touched;
  for (const Step& step : steps)
    for (const io::Directory& directory : step.directories())
      touched.emplace(directory.identity(), directory);
  std::vector<io::Directory> all;
  all.reserve(touched.size());
  for (const auto& [identity, directory] : touched)
    all.push_back(directory);
  return firstProblem(all.size(), [&](size_t i) { return all[i].sync(); });
}

/// Reverts the steps of a phase from the last to the first, except for paths that an `earlier`
/// phase also changes: reverting that phase restores them. Records what could not be reverted, and
/// returns whether everything was.
bool revert(llvm::MutableArrayRef<Step> phase, llvm::ArrayRef<Phase> earlier,
            CommitFailure& failure) {
  bool isReverted = true;
  for (Step& step : llvm::reverse(phase)) {
    bool isRevertedLater = !step.isRemoval() && llvm::any_of(earlier, [&](const Phase& other) {
      return llvm::any_of(other, [&](const Step& one) { return one.path() == step.path(); });
    });
    if (isRevertedLater)
      continue;
    if (llvm::Error error = step.rollBack()) {
      isReverted = false;
      failure.stuck.insert(step.path());
      failure.problem.message +=
          "; " + step.path() + " could not be restored: " + toProblem(std::move(error), {}).message;
    }
  }
  return isReverted;
}

/// Reverts everything, the last phase first; `done` is the number of its completed steps. If a file
/// could not be reverted, the journal, in an earlier phase, stays: undo needs it.
void rollBack(llvm::MutableArrayRef<Phase> phases, size_t done, CommitFailure& failure) {
  for (size_t i = phases.size(); i-- > 0;) {
    llvm::MutableArrayRef<Step> steps = phases[i];
    if (i + 1 == phases.size())
      steps = steps.take_front(done);
    if (!revert(steps, phases.take_front(i), failure))
      break;
  }
  // Every reader now sees the old state. Whether it survives a power failure is unknown, since the
  // disk has just failed.
  for (Phase& phase : phases)
    (void)syncDirectories(phase);
}

} // namespace

Step::Step(Kind kind, const io::InputFile* old, io::Place place)
    : kind(kind), old(old), target(std::move(place)),
      oldLink(target.directory.readLink(target.name)) {}

llvm::Expected<Step> Step::replace(const io::InputFile& old, io::Place place,
                                   const Rewrite& rewrite, std::optional<int64_t> modifiedNs) {
  Step step(Kind::Replace, &old, std::move(place));
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createIn(step.target.directory);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = fill(*temporary, old, rewrite))
    return error;
  if (modifiedNs)
    if (llvm::Error error = temporary->setModified(*modifiedNs))
      return error;
  step.file.emplace(std::move(*temporary));
  return step;
}

llvm::Expected<Step> Step::create(const io::InputFile* old, io::Place place) {
  Step step(Kind::Create, old, std::move(place));
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createIn(step.target.directory);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = temporary->makeReadableLikeNewFiles())
    return error;
  step.file.emplace(std::move(*temporary));
  return step;
}

llvm::Expected<Step> Step::write(const io::InputFile* old, io::Place place,
                                 llvm::StringRef content) {
  if (old)
    return replace(*old, std::move(place),
                   differenceOf(old->bytes(), bytesOf(content), "new content"));
  llvm::Expected<Step> step = create(nullptr, std::move(place));
  if (step)
    if (llvm::Error error = step->file->write(0, bytesOf(content)))
      return error;
  return step;
}

Step Step::link(const io::InputFile& old, io::Place place, const std::string& text) {
  Step step(Kind::Link, &old, std::move(place));
  step.text = text;
  return step;
}

Step Step::remove(io::Place place) {
  return Step(Kind::Remove, nullptr, std::move(place));
}

Step Step::join(const io::InputFile& old, io::Place place, io::Place twin) {
  Step step(Kind::Join, &old, std::move(place));
  step.twin.emplace(std::move(twin));
  return step;
}

llvm::Error Step::reopen() {
  if (llvm::Error error = file->reopen())
    return error;
  return file->keepAttributesOf(*old);
}

llvm::Error Step::sync() {
  if (isSynced())
    return llvm::Error::success();
  isOnDisk = true;
  return file->sync();
}

llvm::Error Step::checkUnchanged() const {
  // Below a sysroot, the host cannot follow a link to the file that was read.
  llvm::Expected<io::FileStamp> now =
      oldLink ? io::stampOf(old->path()) : target.directory.stampOf(target.name);
  if (now && *now == old->stamp() && target.directory.readLink(target.name) == oldLink)
    return old->isTorn() ? io::changedWhileRead() : llvm::Error::success();
  bool isGone = !now;
  llvm::consumeError(now.takeError());
  return fail(ErrorCode::ChangedMeanwhile,
              isGone ? "was removed by another process while tcfix was running"
                     : "was changed by another process while tcfix was running",
              "run the same command again");
}

llvm::Error Step::commit() {
  switch (kind) {
  case Kind::Replace:
    if (llvm::Error error = checkUnchanged())
      return error;
    return file->renameTo(target.name);
  case Kind::Create:
    return file->renameTo(target.name);
  case Kind::Link:
    if (llvm::Error error = checkUnchanged())
      return error;
    return putLink(target, text);
  case Kind::Remove: {
    llvm::Expected<TemporaryFile> temporary = TemporaryFile::createIn(target.directory);
    if (!temporary)
      return temporary.takeError();
    if (llvm::Error error = temporary->take(target.name))
      return error;
    file.emplace(std::move(*temporary));
    return llvm::Error::success();
  }
  case Kind::Join:
    if (llvm::Error error = checkUnchanged())
      return error;
    return put(target, [&](TemporaryFile& other) { return other.becomeTwinOf(*twin); });
  }
  return llvm::Error::success();
}

llvm::Error Step::rollBack() {
  if (kind == Kind::Remove) {
    llvm::Error error = file->renameTo(target.name);
    if (error)
      file->keep(); // better under its temporary name than lost
    return error;
  }
  if (!old) {
    if (std::error_code error = target.directory.remove(target.name))
      return fail(ErrorCode::CannotWrite, "cannot remove the file: " + error.message());
    return llvm::Error::success();
  }
  return oldLink ? putLink(target, *oldLink) : restoreFile(*old, target);
}

std::vector<io::Directory> Step::directories() const {
  std::vector<io::Directory> all = {target.directory};
  if (target.made)
    for (const auto& [parent, name] : target.made->directories)
      all.push_back(parent);
  return all;
}

llvm::Error append(Phase& phase, const std::string& path, llvm::Expected<Step> step) {
  if (!step)
    return at(path, step.takeError());
  phase.push_back(std::move(*step));
  return llvm::Error::success();
}

std::optional<CommitFailure> tryCommitTogether(llvm::MutableArrayRef<Phase> phases) {
  std::vector<Step*> unsynced;
  for (Phase& phase : phases)
    for (Step& step : phase)
      if (!step.isSynced())
        unsynced.push_back(&step);
  std::optional<Problem> problem = firstProblem(
      unsynced.size(), [&](size_t i) { return at(unsynced[i]->path(), unsynced[i]->sync()); });
  if (problem)
    return CommitFailure{std::move(*problem), {}};
  for (size_t i = 0; i < phases.size(); ++i) {
    size_t done = 0;
    for (Step& step : phases[i]) {
      if (io::system::isInterrupted())
        problem = {ErrorCode::Interrupted, "interrupted; nothing was changed", {}, {}};
      else if (llvm::Error error = step.commit())
        problem = toProblem(std::move(error), step.path());
      if (problem)
        break;
      ++done;
    }
    if (!problem)
      problem = syncDirectories(phases[i]);
    if (problem) {
      CommitFailure failure{std::move(*problem), {}};
      rollBack(phases.take_front(i + 1), done, failure);
      return failure;
    }
  }
  return std::nullopt;
}

llvm::Error commitTogether(llvm::MutableArrayRef<Phase> phases) {
  std::optional<CommitFailure> failure = tryCommitTogether(phases);
  return failure ? toError(std::move(failure->problem)) : llvm::Error::success();
}

llvm::Error writeFile(const io::InputFile* old, io::Place place, llvm::StringRef content) {
  Phase phase;
  const std::string path = place.path;
  if (llvm::Error error = append(phase, path, Step::write(old, std::move(place), content)))
    return error;
  return commitTogether(phase);
}

std::vector<std::optional<CommitFailure>> commitEach(llvm::ArrayRef<Step*> steps) {
  std::vector<std::optional<CommitFailure>> failures(steps.size());
  std::map<io::Directory::Identity, std::vector<size_t>> committed;
  for (size_t i = 0; i < steps.size(); ++i)
    if (io::system::isInterrupted())
      failures[i] = {{ErrorCode::Interrupted, "not changed: interrupted", {}, {}}, {}};
    else if (llvm::Error error = steps[i]->commit())
      failures[i] = {toProblem(std::move(error), {}), {}};
    else
      committed[steps[i]->place().directory.identity()].push_back(i);
  for (const auto& [directory, indexes] : committed)
    if (std::optional<Problem> unsynced = syncDirectories(*steps[indexes.front()]))
      for (size_t i : indexes) {
        failures[i] = {*unsynced, {}};
        revert(*steps[i], {}, *failures[i]);
      }
  return failures;
}

} // namespace tcfix::commit
