// The locks of a run that writes: one on every directory that it writes into.
#pragma once

#include "base/error.h"
#include "io/system.h"

#include <map>
#include <optional>

namespace tcfix::commit {

/// What a run does with a path that is a symbolic link: change the file that it leads to, or put a
/// file in its place.
enum class Links { Followed, Replaced };

class Locks {
public:
  /// Locks the folders of all files and of the journal (may be empty), in one order, so that two
  /// runs cannot wait for each other. Then removes what killed runs left behind there.
  Locks(llvm::ArrayRef<std::string> paths, const std::string& journal, io::Notify notify,
        Links links);

  /// Why the folder of a file, or of the journal, could not be locked.
  llvm::Error check(const std::string& path) const;
  llvm::Error checkJournal(const std::string& journal) const;
  /// The first folder that could not be locked, if there is any.
  llvm::Error checkAll() const;

private:
  /// A folder may have several paths; device and inode are what it is.
  using Identity = std::pair<uint64_t, uint64_t>;

  std::optional<std::string> folderOf(const std::string& file) const;
  void add(const std::optional<std::string>& folder);
  llvm::Error checkFolder(const std::optional<std::string>& folder) const;

  Links links;
  std::map<Identity, std::string> folders;
  std::map<Identity, io::system::FolderLock> locks;
  std::map<Identity, Problem> refused;
};

} // namespace tcfix::commit
