// The disk of the system that the libraries are for: this machine's, one below a sysroot, or one
// that is not on this machine.
//
// There are two kinds of path: a *host path* can be opened here; a *target path* is what the
// target's loader sees and what is written into libraries. Other modules work with host paths, and
// convert only to read or write what is in a library.
#pragma once

#include "io/file.h"

#include <optional>
#include <vector>

namespace tcfix::io {

/// What a path names by itself: no link is followed.
enum class EntryKind { None, File, Directory, Link, Other };

/// An entry of a directory.
struct DirectoryEntry {
  std::string name;
  EntryKind kind = EntryKind::None;

  bool isDirectory() const { return kind == EntryKind::Directory; }
};

struct TargetDiskOptions {
  std::string sysroot = {};       ///< the directory that is the target's root; empty: none
  bool isWindows = false;         ///< drive letters, backslashes, names ignore case
  bool knowsAbsolutePaths = true; ///< false: another platform, and no sysroot

  bool operator==(const TargetDiskOptions&) const = default;
};

class TargetDisk {
public:
  explicit TargetDisk(TargetDiskOptions options);

  /// A copy that caches the answer for each path. For short-lived use, such as a simulated loader,
  /// which looks up the same few paths thousands of times.
  TargetDisk remembering() const;
  bool isRemembering() const { return memory != nullptr; }

  const TargetDiskOptions& options() const { return disk; }
  bool knowsAbsolutePaths() const { return disk.knowsAbsolutePaths; }

  /// The host path of an absolute target path; nothing if it is unknown or not absolute.
  std::optional<std::string> hostPath(llvm::StringRef targetPath) const;

  /// The target path of an absolute host path.
  std::string targetPath(llvm::StringRef hostPath) const;

  /// The path without symbolic links and "..", resolved as on the target: an absolute link points
  /// into the sysroot, and ".." never leaves it. Nothing if the file does not exist or the links
  /// form a loop. A path outside the sysroot must begin with a directory that was adopted.
  std::optional<std::string> realPath(llvm::StringRef hostPath) const;

  /// The same for a path that a user of this machine typed: relative to the current directory,
  /// following this machine's links up to the sysroot and the target's links below it.
  std::optional<std::string> adopt(llvm::StringRef typed) const;

  /// Opens a file as the target would, following the target's links.
  llvm::Expected<InputFile> open(llvm::StringRef hostPath, uint64_t largest = kLargestFile) const;
  /// The same for a list, a journal or a configuration file.
  llvm::Expected<InputFile> openText(llvm::StringRef hostPath) const {
    return open(hostPath, kLargestText);
  }

  bool isFile(llvm::StringRef hostPath) const;   ///< or a link to one
  bool isFolder(llvm::StringRef hostPath) const; ///< or a link to one
  bool isLink(llvm::StringRef hostPath) const;

  /// The names in a directory, sorted; empty if it cannot be read.
  std::vector<std::string> list(llvm::StringRef hostFolder) const;

  /// The same with the kind of each entry, which is free on most systems.
  std::vector<DirectoryEntry> entries(llvm::StringRef hostFolder) const;

  /// The directories that could not be listed, or in which a name could not be looked up, because
  /// access was denied, in the order in which they were tried. Only a caching copy records them.
  std::vector<std::string> forbidden() const;

  /// The host path of `name`, which may contain directories and "..", in a directory. Ignores case
  /// on Windows. Nothing if there is no such entry or it is a broken link.
  std::optional<std::string> find(llvm::StringRef hostFolder, llvm::StringRef name) const;

private:
  struct Listing;
  struct Memory;

  std::optional<std::string> findNow(llvm::StringRef hostFolder, llvm::StringRef name) const;
  /// realPath of an absolute path after following this many links.
  std::optional<std::string> resolved(llvm::StringRef hostPath, int links) const;
  std::optional<std::string> resolvedNow(llvm::StringRef hostPath, int links) const;
  /// The directory that ".." cannot leave: the sysroot or the root.
  std::string topAbove(llvm::StringRef hostPath) const;
  /// The path to pass to this machine's system, which follows links itself where they mean the same
  /// as on the target.
  std::optional<std::string> openable(llvm::StringRef hostPath) const;
  bool exists(const std::string& hostPath) const;
  /// What a path without links on the way names.
  EntryKind kindOf(const std::string& hostPath) const;
  /// Caches the entries of a directory without links on the way, unless it is large.
  bool listIfSmall(const std::string& folder) const;
  /// The answer of the system now.
  EntryKind kindNow(llvm::StringRef hostPath, bool follow) const;
  void recordForbidden(llvm::StringRef folder) const;
  /// What it leads to, links followed: never a link.
  EntryKind kindBehind(llvm::StringRef hostPath) const;
  /// The entries of a directory without links on the way, sorted.
  std::shared_ptr<const Listing> listing(const std::string& folder) const;
  std::string entry(const std::string& folder, llvm::StringRef name) const;
  std::string parent(const std::string& folder) const;

  TargetDiskOptions disk;
  std::shared_ptr<Memory> memory; ///< null: no caching
};

} // namespace tcfix::io
