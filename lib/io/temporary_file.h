// New files: complete before they take the place of the old ones.
#pragma once

#include "io/directory.h"

namespace tcfix::io {

/// Whether a long copy ends early when the user wants to stop; what puts old files back goes on.
enum class OnInterrupt { Stop, GoOn };

/// A new file beside the one that it is to replace. It vanishes unless it is renamed.
///
/// No power is lent: no file gets set-uid, set-gid or capabilities. What root makes in a directory
/// of someone else belongs to that one, and holds nothing that that one could not read.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> createIn(const Directory& directory);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  std::string path() const { return directory.pathOf(name); }

  /// The content of `source`: shared on the disk where the file system can, else copied, without
  /// its holes. Refused if there is not enough space for it.
  llvm::Error copyFrom(const InputFile& source, OnInterrupt onInterrupt);
  llvm::Error write(uint64_t offset, Bytes content, OnInterrupt onInterrupt = OnInterrupt::GoOn);
  llvm::Error resize(uint64_t size);
  /// Mode, owner and extended attributes of the file that was read.
  llvm::Error keepAttributesOf(const InputFile& source);
  /// The same of the file that has this name in the directory.
  llvm::Error keepAttributesOf(llvm::StringRef sibling);
  /// The mode that any new file of the user gets.
  llvm::Error makeReadableLikeNewFiles();
  llvm::Error setModified(int64_t modifiedNs);
  /// Becomes a symbolic link that says `text`, instead of a file.
  llvm::Error becomeLink(const std::string& text);
  /// Becomes another name of a file that exists, instead of a file of its own.
  llvm::Error becomeTwinOf(const Place& file);
  /// Becomes the file that has this name in the directory, which then has no other name.
  llvm::Error take(llvm::StringRef sibling);
  /// Call after another program worked on path(): it may have put a new file there.
  llvm::Error reopen();
  /// Returns when the content has reached the disk. Nothing can be written afterwards.
  llvm::Error sync();
  llvm::Error renameTo(llvm::StringRef sibling);
  /// Leaves the file where it is.
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
