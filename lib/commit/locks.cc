#include "commit/locks.h"

#include "io/file.h"
#include "io/host.h"

#include <llvm/Support/Path.h>

namespace tcfix::commit {

namespace {

namespace path = llvm::sys::path;

// The file itself need not exist yet, and a link there would be replaced, not followed.
std::optional<std::string> folderWith(const std::string& file) {
  llvm::StringRef folder = path::parent_path(file);
  // Opening or writing the file reports why there is none.
  return file.empty() ? std::nullopt : io::realPath(folder.empty() ? "." : folder);
}

std::optional<std::pair<uint64_t, uint64_t>> identityOf(const std::string& folder) {
  llvm::Expected<io::FileStamp> stamp = io::stampOf(folder);
  if (stamp)
    return std::make_pair(stamp->device, stamp->inode);
  llvm::consumeError(stamp.takeError()); // opening what is in it will say why
  return std::nullopt;
}

/// The journal's directory in a bare folder comes and goes; the folder is what all runs share.
std::optional<std::string> folderAroundJournal(const std::string& journal) {
  llvm::StringRef directory = path::parent_path(journal);
  return path::filename(directory) == ".tcfix" ? folderWith(directory.str()) : std::nullopt;
}

} // namespace

std::optional<std::string> Locks::folderOf(const std::string& file) const {
  if (links == Links::Replaced)
    return folderWith(file);
  std::optional<std::string> real = io::realPath(file);
  if (!real)
    return std::nullopt; // opening it reports why
  return path::parent_path(*real).str();
}

void Locks::add(const std::optional<std::string>& folder) {
  if (!folder)
    return;
  if (std::optional<Identity> identity = identityOf(*folder))
    folders.emplace(*identity, *folder);
}

Locks::Locks(llvm::ArrayRef<std::string> paths, const std::string& journal, io::Notify notify,
             Links links)
    : links(links) {
  for (const std::string& file : paths)
    add(folderOf(file));
  add(folderWith(journal));
  add(folderAroundJournal(journal));
  for (const auto& [identity, folder] : folders) {
    llvm::Expected<io::system::FolderLock> lock = io::system::FolderLock::acquire(folder, notify);
    if (!lock) {
      refused.emplace(identity, toProblem(lock.takeError(), {}));
      continue;
    }
    // Whoever made them is gone: a run that lives holds the lock.
    if (lock->isHeld())
      io::system::removeLeftovers(folder);
    locks.emplace(identity, std::move(*lock));
  }
}

llvm::Error Locks::checkFolder(const std::optional<std::string>& folder) const {
  std::optional<Identity> identity = folder ? identityOf(*folder) : std::nullopt;
  auto found = identity ? refused.find(*identity) : refused.end();
  return found == refused.end() ? llvm::Error::success() : toError(found->second);
}

llvm::Error Locks::checkAll() const {
  return refused.empty() ? llvm::Error::success() : toError(refused.begin()->second);
}

llvm::Error Locks::check(const std::string& file) const {
  return checkFolder(folderOf(file));
}

llvm::Error Locks::checkJournal(const std::string& journal) const {
  if (llvm::Error error = checkFolder(folderAroundJournal(journal)))
    return error;
  return checkFolder(folderWith(journal));
}

} // namespace tcfix::commit
