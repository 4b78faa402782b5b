#include "commit/transaction.h"

#include "base/parallel.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <map>
#include <set>

namespace tcfix::commit {

namespace {

using io::system::TemporaryFile;

std::string directoryOf(const std::string& path) {
  return llvm::sys::path::parent_path(path).str();
}

/// A new file beside `path` takes its place after `fill` has worked on it.
llvm::Error place(const std::string& path, llvm::function_ref<llvm::Error(TemporaryFile&)> fill) {
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createBeside(path);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = fill(*temporary))
    return error;
  return temporary->renameTo(path);
}

llvm::Error placeLink(const std::string& path, const std::string& text) {
  return place(path, [&](TemporaryFile& file) { return file.becomeLink(text); });
}

// The old file's bytes are still mapped, although its name is gone.
llvm::Error putBack(const io::InputFile& old, const std::string& path) {
  return place(path, [&](TemporaryFile& file) -> llvm::Error {
    if (llvm::Error error = file.write(0, old.bytes()))
      return error;
    if (llvm::Error error =
            io::exists(path) ? file.keepAttributesOf(path) : file.makeReadableLikeNewFiles())
      return error;
    if (llvm::Error error = file.setModified(old.stamp().modifiedNs))
      return error;
    return file.sync();
  });
}

llvm::Error fill(TemporaryFile& file, const io::InputFile& old, const Rewrite& rewrite) {
  if (llvm::Error error = file.copyFrom(old.path(), old.bytes()))
    return error;
  if (rewrite.newSize != rewrite.oldSize)
    if (llvm::Error error = file.resize(rewrite.newSize))
      return error;
  for (const Move& move : rewrite.moves)
    if (llvm::Error error = file.write(move.to, old.bytes().slice(move.from, move.length)))
      return error;
  for (const BytePatch& patch : rewrite.patches)
    if (llvm::Error error = file.write(patch.offset, patch.after))
      return error;
  return file.keepAttributesOf(old.path());
}

/// Runs `work` for all indexes at once, since a disk syncs many files in the time of one. The first
/// problem, if there is any.
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
  std::set<std::string> touched;
  for (const Step& step : steps)
    for (std::string& directory : step.directories())
      touched.insert(std::move(directory));
  std::vector<std::string> all(touched.begin(), touched.end());
  return firstProblem(all.size(),
                      [&](size_t i) { return at(all[i], io::system::syncFolder(all[i])); });
}

/// Reverts the steps of a phase from the last to the first, but not those of `earlier` phases: one
/// for the same path puts back what was there before both. Adds to the problem what could not be
/// reverted, and returns whether all was.
bool revert(llvm::MutableArrayRef<Step> phase, llvm::ArrayRef<Phase> earlier, Problem& problem) {
  bool isReverted = true;
  for (Step& step : llvm::reverse(phase)) {
    bool isRevertedLater = !step.isRemoval() && llvm::any_of(earlier, [&](const Phase& other) {
      return llvm::any_of(other, [&](const Step& one) { return one.path() == step.path(); });
    });
    if (isRevertedLater)
      continue;
    if (llvm::Error error = step.rollBack()) {
      isReverted = false;
      problem.message +=
          "; " + step.path() + " could not be put back: " + toProblem(std::move(error), {}).message;
    }
  }
  return isReverted;
}

/// Reverts all that was done, the last phase first; `done` counts its steps. The journal, in an
/// earlier phase, stays where a file could not be reverted: it is the way back.
void rollBack(llvm::MutableArrayRef<Phase> phases, size_t done, Problem& problem) {
  for (size_t i = phases.size(); i-- > 0;) {
    llvm::MutableArrayRef<Step> steps = phases[i];
    if (i + 1 == phases.size())
      steps = steps.take_front(done);
    if (!revert(steps, phases.take_front(i), problem))
      break;
  }
  // The old state is what every reader sees now; that it survives a power cut cannot be promised
  // by a disk that just failed.
  for (Phase& phase : phases)
    (void)syncDirectories(phase);
}

} // namespace

Step::Step(Kind kind, const io::InputFile* old, std::string path)
    : kind(kind), old(old), target(std::move(path)), oldLink(io::system::readLink(target)) {}

llvm::Expected<Step> Step::replace(const io::InputFile& old, const std::string& path,
                                   const Rewrite& rewrite, std::optional<int64_t> modifiedNs) {
  Step step(Kind::Replace, &old, path);
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createBeside(path);
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

Step::MadeDirectories::~MadeDirectories() {
  for (const std::string& path : paths)
    io::removeEmptyDirectory(path); // fails for one that holds anything
}

llvm::Expected<Step> Step::create(const io::InputFile* old, const std::string& path,
                                  Parent parent) {
  Step step(Kind::Create, old, path);
  std::string directory = directoryOf(path);
  if (parent == Parent::MayBeMade) {
    for (llvm::StringRef up = directory; !up.empty() && !io::exists(up);
         up = llvm::sys::path::parent_path(up))
      step.made.paths.push_back(up.str());
    if (std::error_code error = io::createDirectories(directory, io::Access::Owners))
      return fail(ErrorCode::CannotWrite, "its folder cannot be made: " + error.message());
  }
  llvm::Expected<TemporaryFile> temporary = TemporaryFile::createBeside(path);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = temporary->makeReadableLikeNewFiles())
    return error;
  step.file.emplace(std::move(*temporary));
  return step;
}

llvm::Expected<Step> Step::write(const io::InputFile* old, const std::string& path,
                                 llvm::StringRef content, Parent parent) {
  if (old)
    return replace(*old, path, differenceOf(old->bytes(), bytesOf(content), "written anew"));
  llvm::Expected<Step> step = create(nullptr, path, parent);
  if (step)
    if (llvm::Error error = step->file->write(0, bytesOf(content)))
      return error;
  return step;
}

Step Step::link(const io::InputFile& old, const std::string& path, const std::string& text) {
  Step step(Kind::Link, &old, path);
  step.text = text;
  return step;
}

Step Step::remove(const std::string& path) {
  return Step(Kind::Remove, nullptr, path);
}

Step Step::join(const io::InputFile& old, const std::string& path, const std::string& twin) {
  Step step(Kind::Join, &old, path);
  step.text = twin;
  return step;
}

llvm::Error Step::reopen() {
  if (llvm::Error error = file->reopen())
    return error;
  return file->keepAttributesOf(target);
}

llvm::Error Step::sync() {
  if (!file || isSynced)
    return llvm::Error::success();
  isSynced = true;
  return file->sync();
}

llvm::Error Step::commit() {
  switch (kind) {
  case Kind::Replace: {
    // Below a sysroot this machine cannot follow a link to the file that was read.
    llvm::Expected<io::FileStamp> now = io::stampOf(oldLink ? old->path() : target);
    if (!now)
      return now.takeError();
    if (*now != old->stamp() || io::system::readLink(target) != oldLink)
      return fail(ErrorCode::ChangedMeanwhile,
                  "someone else changed the file while tcfix worked on it",
                  "run the same command again");
    return file->renameTo(target);
  }
  case Kind::Create:
    return file->renameTo(target);
  case Kind::Link:
    return placeLink(target, text);
  case Kind::Remove: {
    llvm::Expected<TemporaryFile> temporary = TemporaryFile::createBeside(target);
    if (!temporary)
      return temporary.takeError();
    if (llvm::Error error = temporary->take(target))
      return error;
    file.emplace(std::move(*temporary));
    return llvm::Error::success();
  }
  case Kind::Join:
    return place(target, [&](TemporaryFile& twin) { return twin.becomeTwinOf(text); });
  }
  return llvm::Error::success();
}

llvm::Error Step::rollBack() {
  if (kind == Kind::Remove) {
    llvm::Error error = file->renameTo(target);
    if (error)
      file->keep(); // under its temporary name, rather than not at all
    return error;
  }
  if (!old)
    return io::system::removeFile(target);
  return oldLink ? placeLink(target, *oldLink) : putBack(*old, target);
}

std::vector<std::string> Step::directories() const {
  std::vector<std::string> all = {directoryOf(target)};
  for (const std::string& directory : made.paths)
    all.push_back(directoryOf(directory));
  return all;
}

llvm::Error append(Phase& phase, const std::string& path, llvm::Expected<Step> step) {
  if (!step)
    return at(path, step.takeError());
  phase.push_back(std::move(*step));
  return llvm::Error::success();
}

llvm::Error commitTogether(llvm::MutableArrayRef<Phase> phases) {
  std::vector<Step*> all;
  for (Phase& phase : phases)
    for (Step& step : phase)
      all.push_back(&step);
  std::optional<Problem> failure =
      firstProblem(all.size(), [&](size_t i) { return at(all[i]->path(), all[i]->sync()); });
  if (failure)
    return toError(*failure);
  for (size_t i = 0; i < phases.size(); ++i) {
    size_t done = 0;
    for (Step& step : phases[i]) {
      if (io::system::isInterrupted())
        failure = {ErrorCode::Interrupted, "interrupted; nothing was changed", {}, {}};
      else if (llvm::Error error = step.commit())
        failure = toProblem(std::move(error), step.path());
      if (failure)
        break;
      ++done;
    }
    if (!failure)
      failure = syncDirectories(phases[i]);
    if (failure) {
      rollBack(phases.take_front(i + 1), done, *failure);
      return toError(*failure);
    }
  }
  return llvm::Error::success();
}

llvm::Error writeFile(const io::InputFile* old, const std::string& path, llvm::StringRef content) {
  Phase phase;
  if (llvm::Error error = append(phase, path, Step::write(old, path, content, Parent::MustExist)))
    return error;
  return commitTogether(phase);
}

std::vector<std::optional<Problem>> commitEach(llvm::ArrayRef<Step*> steps) {
  std::vector<std::optional<Problem>> problems(steps.size());
  std::map<std::string, std::vector<size_t>> committed; // by directory
  for (size_t i = 0; i < steps.size(); ++i)
    if (io::system::isInterrupted())
      problems[i] = {ErrorCode::Interrupted, "was not changed: interrupted", {}, {}};
    else if (llvm::Error error = steps[i]->commit())
      problems[i] = toProblem(std::move(error), {});
    else
      committed[directoryOf(steps[i]->path())].push_back(i);
  for (const auto& [directory, indexes] : committed)
    if (std::optional<Problem> unsynced = syncDirectories(*steps[indexes.front()]))
      for (size_t i : indexes) {
        problems[i] = unsynced;
        revert(*steps[i], {}, *problems[i]);
      }
  return problems;
}

} // namespace tcfix::commit
