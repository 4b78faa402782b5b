// The directories of a run that writes: each is looked up once, held open and locked. Everything
// that the run makes, replaces or removes goes through them.
#pragma once

#include "base/error.h"
#include "io/directory.h"
#include "io/target_disk.h"

#include <map>
#include <optional>

namespace tcfix::commit {

/// What a run does with a path that is a symbolic link: change the file that it leads to, or put a
/// file in its place.
enum class Links { Followed, Replaced };

/// Where a run may write.
struct Bounds {
  /// Host paths without links. What leads out of all of them is refused; none: no bounds.
  std::vector<std::string> roots;
  /// Whose links count: the target's, if it lies below a sysroot.
  io::TargetDisk disk = io::TargetDisk({});
};

class Locks {
public:
  /// Locks the directories of all files and of the journal (may be empty), in one order, so that
  /// two runs cannot wait for each other. Then removes what killed runs left behind there.
  Locks(llvm::ArrayRef<std::string> paths, const std::string& journal, io::Notify notify,
        Links links, Bounds bounds = {});

  /// Why the directory of a file, or of the journal, could not be locked.
  llvm::Error check(const std::string& path) const;
  llvm::Error checkJournal(const std::string& journal) const;
  /// The first directory that could not be locked, if there is any.
  llvm::Error checkAll() const;

  /// Where a file is written that was among the paths, or lies beside one of them.
  llvm::Expected<io::Place> place(const std::string& path) const;
  /// The same for a file whose directories may be missing below one that is locked; they are made.
  llvm::Expected<io::Place> newPlace(const std::string& path) const;
  /// Refuses a journal whose author could not write into the directory of this file.
  llvm::Error checkAuthor(const io::InputFile& journal, const std::string& path) const;
  /// The directory with this path, if it is held; null if not.
  const io::Directory* find(const std::string& directory) const;
  /// Removes a directory that lies in one that is held, if it is empty.
  void removeIfEmpty(const std::string& directory) const;

private:
  using Identity = io::Directory::Identity;

  std::string directoryOf(const std::string& file) const;
  void open(const std::string& directory);
  llvm::Error checkDirectory(const std::string& directory) const;

  Links links;
  Bounds bounds;
  std::map<std::string, io::Directory> directories; ///< by each path that was asked for
  std::map<std::string, Problem> refused;           ///< the same
  std::map<Identity, io::DirectoryLock> locks;
};

} // namespace tcfix::commit
