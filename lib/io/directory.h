// Directories that are held open. Files are made, replaced and removed by their name in one, so
// that whoever swaps a directory or a link while tcfix works changes nothing elsewhere.
//
// POSIX: a descriptor, and the calls that end in -at. Windows has no such calls for renaming; there
// a directory is its path, and what is held open cannot be swapped anyway.
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
  /// Takes an absolute path without links: a link on the way, or at its end, is refused.
  static llvm::Expected<Directory> open(llvm::StringRef realPath);
  /// A directory in this one, if that is no link.
  llvm::Expected<Directory> enter(llvm::StringRef name) const;
  /// The same, which is made. Root makes it for the owner of this one.
  llvm::Expected<Directory> make(llvm::StringRef name) const;

  const std::string& path() const;
  std::string pathOf(llvm::StringRef name) const;
  /// A directory may have several paths; device and inode are what it is.
  using Identity = std::pair<uint64_t, uint64_t>;
  Identity identity() const;

  /// All of these are about the entry itself: no link is followed.
  llvm::Expected<FileStamp> stampOf(llvm::StringRef name) const;
  std::optional<std::string> readLink(llvm::StringRef name) const;
  std::vector<std::string> names() const; ///< in no order; none if it cannot be read
  std::error_code rename(llvm::StringRef from, llvm::StringRef to) const;
  std::error_code remove(llvm::StringRef name) const; ///< no error if there is no such file
  void removeIfEmpty(llvm::StringRef name) const;     ///< a directory
  /// Whether who wrote a file may decide what lies here: this user, root, or the owner of the
  /// directory. Windows leaves that to its access lists.
  bool trusts(const InputFile& file) const;
  /// Makes renames durable.
  llvm::Error sync() const;

  /// Removes temporary files that killed runs left. Call only with its lock held.
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
  /// Directories that were made on the way, by the name in the one above, the deepest last. Those
  /// that are empty when the last copy of the place goes are removed.
  struct Made {
    Made() = default;
    Made(const Made&) = delete;
    ~Made();
    std::vector<std::pair<Directory, std::string>> directories;
  };
  std::shared_ptr<const Made> made;
  std::string path; ///< as it was asked for

  /// The place that a path names; its directory is looked up with links followed.
  static llvm::Expected<Place> of(llvm::StringRef path);
  /// The same, and missing directories are made.
  static llvm::Expected<Place> ofNew(llvm::StringRef path);
  /// The place of `relative` below a directory. Missing directories are made, none may be a link.
  static llvm::Expected<Place> below(const Directory& directory, llvm::StringRef relative);
};

/// A lock on a directory that other tcfix processes respect; leaves no file behind.
class DirectoryLock {
public:
  /// Waits for at most a minute, and says so.
  static llvm::Expected<DirectoryLock> acquire(const Directory& directory, Notify notify);

  /// False where the system has no locks to give; work goes on without.
  bool isHeld() const { return handle != -1; }

  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

private:
  explicit DirectoryLock(intptr_t handle) : handle(handle) {}
  intptr_t handle;
};

} // namespace tcfix::io
