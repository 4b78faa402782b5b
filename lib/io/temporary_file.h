// New files, which are complete before they replace the old ones.
#pragma once

#include "io/directory.h"

namespace tcfix::io {

/// Whether an interrupt stops a long copy. Restoring old files must continue.
enum class OnInterrupt { Stop, GoOn };

/// A new file beside the one that it will replace. It is removed unless it is renamed.
///
/// It never carries privileges: no file gets set-uid, set-gid or capabilities. A file that root
/// creates in another user's directory belongs to that user and contains nothing that the user
/// could not read.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> createIn(const Directory& directory);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  std::string path() const { return directory.pathOf(name); }

  /// Takes the content of `source`: shared on disk where the file system supports it, else copied
  /// without the holes. Fails if there is not enough space.
  llvm::Error copyFrom(const InputFile& source, OnInterrupt onInterrupt);
  llvm::Error write(uint64_t offset, Bytes content, OnInterrupt onInterrupt = OnInterrupt::GoOn);
  llvm::Error resize(uint64_t size);
  /// Fails if the directory belongs to another user, who cannot read the file, and root could.
  llvm::Error checkReadableByOwner(const InputFile& source) const;
  /// Copies mode, owner and extended attributes of the file that was read.
  llvm::Error keepAttributesOf(const InputFile& source);
  /// The same from the file with this name in the directory.
  llvm::Error keepAttributesOf(llvm::StringRef sibling);
  /// Sets the mode that any new file of this user gets.
  llvm::Error makeReadableLikeNewFiles();
  llvm::Error setModified(int64_t modifiedNs);
  /// Turns this into a symbolic link to `text`.
  llvm::Error becomeLink(const std::string& text);
  /// Turns this into a hard link to an existing file.
  llvm::Error becomeTwinOf(const Place& file);
  /// Takes over the file with this name in the directory, which loses that name.
  llvm::Error take(llvm::StringRef sibling);
  /// Call after another program has processed path(): it may have replaced the file.
  llvm::Error reopen();
  /// Returns once the content is on disk. Nothing can be written afterwards.
  llvm::Error sync();
  llvm::Error renameTo(llvm::StringRef sibling);
  /// Keeps the file under its current name.
  void keep() { name.clear(); }

private:
  TemporaryFile(Directory directory, std::string name, int descriptor)
      : directory(std::move(directory)), name(std::move(name)), descriptor(descriptor) {}
  void close();
#ifndef _WIN32
  llvm::Error keepAttributesOf(int source);
  llvm::Error giveToOwner(int file);
#endif

  Directory directory;
  std::string name; ///< empty once renamed
  int descriptor = -1;
};

} // namespace tcfix::io
