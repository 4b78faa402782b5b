#include "commit/locks.h"

#include "base/paths.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::commit {

namespace path = llvm::sys::path;

namespace {

std::string parentOf(const std::string& file) {
  std::string parent = path::parent_path(file).str();
  return parent.empty() ? "." : parent;
}

/// The directory to lock for a journal. `.tcfix` in a plain directory is created and removed by
/// runs, so its parent is locked instead.
std::string lockedDirectoryOf(const std::string& journal) {
  std::string directory = parentOf(journal);
  return path::filename(directory) == ".tcfix" ? parentOf(directory) : directory;
}

} // namespace

// The file may not exist yet, and a link would be replaced, not followed.
std::string Locks::directoryOf(const std::string& file) const {
  std::optional<std::string> real;
  if (links == Links::Followed)
    real = bounds.disk.realPath(file); // if this fails, opening the file reports why
  return parentOf(real ? *real : file);
}

void Locks::open(const std::string& directory) {
  if (directories.count(directory) || refused.count(directory))
    return;
  std::optional<std::string> real = bounds.disk.realPath(directory);
  if (!real)
    return; // opening or writing a file there reports why
  if (!bounds.roots.empty() &&
      llvm::none_of(bounds.roots, [&](const std::string& root) { return isWithin(*real, root); })) {
    refused[directory] = {ErrorCode::Unsupported,
                          "is outside the environment" +
                              (*real == directory ? "" : " (a link to " + *real + ")") +
                              "; tcfix does not write there",
                          directory,
                          {}};
    return;
  }
  llvm::Expected<io::Directory> opened = io::Directory::open(*real);
  if (opened) {
    directories.emplace(directory, *opened);
    directories.emplace(*real, std::move(*opened));
    return;
  }
  Problem problem = toProblem(opened.takeError(), directory);
  if (problem.code == ErrorCode::NotFound) // it existed before
    problem = {ErrorCode::ChangedMeanwhile, "was removed while tcfix was running", directory,
               "if a package is being installed, run the same command again after that"};
  // A directory that cannot be read may contain readable files; only writing there is impossible.
  if (problem.code != ErrorCode::Unreadable)
    refused[directory] = std::move(problem);
}

Locks::Locks(llvm::ArrayRef<std::string> paths, const std::string& journal, io::Notify notify,
             Links links, Bounds limits)
    : links(links), bounds(std::move(limits)) {
  for (const std::string& file : paths)
    open(directoryOf(file));
  if (!journal.empty()) {
    open(parentOf(journal));
    open(lockedDirectoryOf(journal));
  }
  std::map<Identity, const io::Directory*> ordered;
  for (const auto& [name, directory] : directories)
    ordered.emplace(directory.identity(), &directory);
  std::map<Identity, Problem> busy;
  for (const auto& [identity, directory] : ordered) {
    llvm::Expected<io::DirectoryLock> lock = io::DirectoryLock::acquire(*directory, notify);
    if (!lock) {
      busy.emplace(identity, toProblem(lock.takeError(), {}));
      continue;
    }
    // Their process has ended: it would still hold the lock.
    if (lock->isHeld())
      directory->removeLeftovers();
    locks.emplace(identity, std::move(*lock));
  }
  for (const auto& [name, directory] : directories)
    if (auto problem = busy.find(directory.identity()); problem != busy.end())
      refused.emplace(name, problem->second);
}

llvm::Error Locks::checkDirectory(const std::string& directory) const {
  auto found = refused.find(directory);
  return found == refused.end() ? llvm::Error::success() : toError(found->second);
}

llvm::Error Locks::checkAll() const {
  return refused.empty() ? llvm::Error::success() : toError(refused.begin()->second);
}

llvm::Error Locks::check(const std::string& file) const {
  return checkDirectory(directoryOf(file));
}

llvm::Error Locks::checkJournal(const std::string& journal) const {
  if (llvm::Error error = checkDirectory(lockedDirectoryOf(journal)))
    return error;
  return checkDirectory(parentOf(journal));
}

llvm::Expected<io::Place> Locks::place(const std::string& file) const {
  const std::string directory = parentOf(file);
  if (llvm::Error error = checkDirectory(directory))
    return error;
  if (const io::Directory* found = find(directory))
    return io::Place{*found, path::filename(file).str(), nullptr, file};
  if (!io::exists(directory))
    return fail(ErrorCode::CannotWrite, "the directory does not exist");
  return fail(ErrorCode::CannotWrite, "cannot open the directory",
              "tcfix needs read and write permission for it");
}

llvm::Error Locks::checkAuthor(const io::InputFile& journal, const std::string& file) const {
  const io::Directory* directory = find(parentOf(file));
  if (!directory || directory->trusts(journal)) // without a directory, nothing can be written
    return llvm::Error::success();
  // The owner of the parent directory can replace this one, unless something is mounted there.
  std::optional<io::Directory> above = directory->parent();
  if (above && above->trusts(journal))
    return llvm::Error::success();
  return at(journal.path(),
            fail(ErrorCode::Unsupported, "was not written by the owner of " + directory->path(),
                 "if you do not know where it comes from, remove it and reinstall the package"));
}

const io::Directory* Locks::find(const std::string& directory) const {
  auto found = directories.find(directory);
  return found == directories.end() ? nullptr : &found->second;
}

void Locks::removeIfEmpty(const std::string& directory) const {
  if (const io::Directory* parent = find(parentOf(directory)))
    parent->removeIfEmpty(path::filename(directory));
}

llvm::Expected<io::Place> Locks::newPlace(const std::string& file) const {
  for (std::string above = parentOf(file); !above.empty(); above = path::parent_path(above).str()) {
    if (llvm::Error error = checkDirectory(above))
      return error;
    const io::Directory* found = find(above);
    if (!found)
      continue;
    llvm::Expected<io::Place> made = io::Place::below(*found, relativePath(above, file));
    if (made)
      made->path = file;
    return made;
  }
  return place(file);
}

} // namespace tcfix::commit
