// Directories that are held open. Files are created, replaced and removed by name within an open
// directory, so a directory or link that is swapped while tcfix runs cannot redirect a write.
//
// POSIX: a descriptor and the *at() system calls. Windows has no such calls for renaming; there a
// directory is its path, and the system does not let anyone swap a directory that is held open.
#pragma once

#include "io/file.h"
#include "io/system.h"

#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tcfix::io {

class Directory {
public:
  /// Opens an absolute path. Fails if any part of it is a symbolic link.
  static llvm::Expected<Directory> open(llvm::StringRef realPath);
  /// Opens a subdirectory, unless it is a symbolic link.
  llvm::Expected<Directory> enter(llvm::StringRef name) const;
  /// The directory that contains this one, unless another file system is mounted here.
  std::optional<Directory> parent() const;
  /// Creates a subdirectory and opens it. Root creates it for the owner of this directory.
  llvm::Expected<Directory> make(llvm::StringRef name) const;

  const std::string& path() const;
  std::string pathOf(llvm::StringRef name) const;
  /// Device and inode: a directory may have several paths.
  using Identity = std::pair<uint64_t, uint64_t>;
  Identity identity() const;

  /// The functions below act on the entry itself; they do not follow links.
  llvm::Expected<FileStamp> stampOf(llvm::StringRef name) const;
  std::optional<std::string> readLink(llvm::StringRef name) const;
  std::vector<std::string> names() const; ///< unordered; empty if it cannot be read
  std::error_code rename(llvm::StringRef from, llvm::StringRef to) const;
  std::error_code remove(llvm::StringRef name) const; ///< no error if the file does not exist
  void removeIfEmpty(llvm::StringRef name) const;     ///< a directory
  /// Whether the owner of a file may control what is in this directory: this user, root, or the
  /// owner of the directory. Always true on Windows, which has its access control lists.
  bool trusts(const InputFile& file) const;
  /// Makes renames durable.
  llvm::Error sync() const;

  /// Removes temporary files left by killed runs. The lock must be held.
  void removeLeftovers() const;

private:
  friend class DirectoryLock;
  friend class TemporaryFile;
  struct Handle;
  explicit Directory(std::shared_ptr<const Handle> handle) : handle(std::move(handle)) {}

  std::shared_ptr<const Handle> handle;
};

/// A name in a directory that is held open; the file need not exist.
struct Place {
  Directory directory;
  std::string name;
  /// Directories created on the way to this place: the parent and the name in it, the deepest last.
  /// They are removed again if they are empty when the last copy of the place is destroyed.
  struct Made {
    Made() = default;
    Made(const Made&) = delete;
    ~Made();
    std::vector<std::pair<Directory, std::string>> directories;
  };
  std::shared_ptr<const Made> made;
  std::string path; ///< as requested

  /// The place that a path names. Links in the directory part are followed.
  static llvm::Expected<Place> of(llvm::StringRef path);
  /// The same, creating missing directories.
  static llvm::Expected<Place> ofNew(llvm::StringRef path);
  /// The place of `relative` below a directory. Creates missing directories; fails on a link.
  static llvm::Expected<Place> below(const Directory& directory, llvm::StringRef relative);
};

/// A lock on a directory that other tcfix processes respect. It leaves no file.
class DirectoryLock {
public:
  /// Waits up to a minute, after notifying the user.
  static llvm::Expected<DirectoryLock> acquire(const Directory& directory, Notify notify);

  /// False if the file system does not support locks; work continues without one.
  bool isHeld() const { return handle != -1; }

  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

private:
  explicit DirectoryLock(intptr_t handle) : handle(handle) {}
  intptr_t handle;
};

} // namespace tcfix::io
