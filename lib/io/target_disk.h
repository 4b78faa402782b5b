// The disk of the system that the libraries are for: this machine's, or one under a sysroot, or one
// that is out of reach.
//
// Two kinds of path: a *host path* can be opened here; a *target path* is what the target's loader
// sees and what is written into libraries. Everything above works with host paths, and turns to
// target paths only to read or write what a library says.
#pragma once

#include "io/file.h"

#include <optional>
#include <vector>

namespace tcfix::io {

/// An entry of a directory.
struct DirectoryEntry {
  std::string name;
  bool isDirectory = false; ///< itself: a link to a directory is none
};

struct TargetDiskOptions {
  std::string sysroot = {};       ///< the folder that holds the target's root; empty: none
  bool isWindows = false;         ///< drive letters, backslashes, no case in names
  bool knowsAbsolutePaths = true; ///< false: another platform than this machine, and no sysroot
};

class TargetDisk {
public:
  explicit TargetDisk(TargetDiskOptions options);

  /// The same disk, which asks the system only once for each path: for questions about a moment,
  /// such as those of a simulated loader, which asks a thousand times for the same few.
  TargetDisk remembering() const;

  const TargetDiskOptions& options() const { return disk; }
  bool knowsAbsolutePaths() const { return disk.knowsAbsolutePaths; }

  /// Where an absolute path of the target lies here; nothing if that is unknown, or not absolute.
  std::optional<std::string> hostPath(llvm::StringRef targetPath) const;

  /// How the target calls what lies at an absolute host path.
  std::string targetPath(llvm::StringRef hostPath) const;

  /// The path without symbolic links and without "..", resolved as the target would: an absolute
  /// link leads into the sysroot, and ".." never out of it. Nothing if there is no such file, or
  /// links run in a circle. A path outside the sysroot must begin with a folder that was adopted.
  std::optional<std::string> realPath(llvm::StringRef hostPath) const;

  /// The same for a path that a user of this machine typed: relative to the current folder, with
  /// this machine's links up to the sysroot and the target's below it.
  std::optional<std::string> adopt(llvm::StringRef typed) const;

  /// The file with the target's links followed, as the target would open it.
  llvm::Expected<InputFile> open(llvm::StringRef hostPath, uint64_t largest = kLargestFile) const;
  /// The same for a list, a journal or a configuration.
  llvm::Expected<InputFile> openText(llvm::StringRef hostPath) const {
    return open(hostPath, kLargestText);
  }

  bool isFile(llvm::StringRef hostPath) const;   ///< or a link to one
  bool isFolder(llvm::StringRef hostPath) const; ///< or a link to one

  /// The names in a folder, sorted; none if it cannot be read.
  std::vector<std::string> list(llvm::StringRef hostFolder) const;

  /// The same with what each entry is, at no further cost on most systems.
  std::vector<DirectoryEntry> entries(llvm::StringRef hostFolder) const;

  /// The directories that could not be listed because the system denied it, in the order in which
  /// they were tried; of a disk that remembers.
  std::vector<std::string> forbidden() const;

  /// The host path of `name` (may hold folders and "..") in a folder, in any case of letters on
  /// Windows; nothing if there is no such entry, or only a link that leads nowhere.
  std::optional<std::string> find(llvm::StringRef hostFolder, llvm::StringRef name) const;

private:
  struct Memory;

  std::optional<std::string> findNow(llvm::StringRef hostFolder, llvm::StringRef name) const;
  /// realPath of an absolute path, after so many links.
  std::optional<std::string> resolved(llvm::StringRef hostPath, int links) const;
  std::optional<std::string> resolvedNow(llvm::StringRef hostPath, int links) const;
  /// The folder that ".." does not leave: the sysroot's, or the root.
  std::string topAbove(llvm::StringRef hostPath) const;
  /// The path that this machine's system can be asked about: it follows links by itself where they
  /// mean the same as on the target.
  std::optional<std::string> openable(llvm::StringRef hostPath) const;
  bool exists(const std::string& hostPath) const;
  std::string entry(const std::string& folder, llvm::StringRef name) const;
  std::string parent(const std::string& folder) const;

  TargetDiskOptions disk;
  std::shared_ptr<Memory> memory; ///< null: nothing is remembered
};

} // namespace tcfix::io
