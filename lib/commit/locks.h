// The directories that a run writes to: each is looked up once, held open and locked. All files
// that the run creates, replaces or removes are accessed through them.
#pragma once

#include "base/error.h"
#include "io/directory.h"
#include "io/target_disk.h"

#include <map>
#include <optional>

namespace tcfix::commit {

/// How a run handles a path that is a symbolic link: change the link's target, or replace the link
/// with a file.
enum class Links { Followed, Replaced };

/// Where a run may write.
struct Bounds {
  /// Host paths without links. Anything outside them is refused; empty: no bounds.
  std::vector<std::string> roots;
  /// Resolves symbolic links; below a sysroot, as the target would.
  io::TargetDisk disk = io::TargetDisk({});
};

class Locks {
public:
  /// Locks the directories of all files and of the journal (may be empty), always in the same
  /// order, to prevent deadlocks. Then removes temporary files of killed runs there.
  Locks(llvm::ArrayRef<std::string> paths, const std::string& journal, io::Notify notify,
        Links links, Bounds bounds = {});

  /// Why the directory of a file, or of the journal, could not be locked.
  llvm::Error check(const std::string& path) const;
  llvm::Error checkJournal(const std::string& journal) const;
  /// The error of the first directory that could not be locked, if any.
  llvm::Error checkAll() const;

  /// The place of a file that is one of the paths, or in the same directory as one of them.
  llvm::Expected<io::Place> place(const std::string& path) const;
  /// The same for a file in a subdirectory of a locked one; missing directories are created.
  llvm::Expected<io::Place> newPlace(const std::string& path) const;
  /// Refuses a journal whose owner could not write to the directory of this file. Takes the path
  /// that place() gets: a link may lead elsewhere by the time it is resolved again.
  llvm::Error checkAuthor(const io::InputFile& journal, const std::string& path) const;
  /// The directory with this path, if it is held open; null if not.
  const io::Directory* find(const std::string& directory) const;
  /// Removes a subdirectory of a directory that is held open, if it is empty.
  void removeIfEmpty(const std::string& directory) const;

private:
  using Identity = io::Directory::Identity;

  std::string directoryOf(const std::string& file) const;
  void open(const std::string& directory);
  llvm::Error checkDirectory(const std::string& directory) const;

  Links links;
  Bounds bounds;
  std::map<std::string, io::Directory> directories; ///< by path, as requested
  std::map<std::string, Problem> refused;           ///< by path, as requested
  std::map<Identity, io::DirectoryLock> locks;
};

} // namespace tcfix::commit
