// Reading files: mapped, never copied, with an identity that tells later whether it is still the
// same file.
#pragma once

#include "base/bytes.h"

#include <llvm/Support/Error.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>

namespace tcfix::io {

/// What must be unchanged for a file to be the one that was read.
struct FileStamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modifiedNs = 0;

  bool operator==(const FileStamp&) const = default;
};

/// A regular file, open for reading.
class InputFile {
public:
  /// Follows symbolic links. Refuses folders, devices, pipes and what cannot be read.
  static llvm::Expected<InputFile> open(llvm::StringRef path);
  /// The same for an absolute path without symbolic links.
  static llvm::Expected<InputFile> openReal(llvm::StringRef path);

  const std::string& path() const { return realPath; } ///< without symbolic links
  Bytes bytes() const;
  /// Keeps a copy of the bytes instead of the mapping: Windows deletes no file that is mapped.
  void unmap();
  const FileStamp& stamp() const { return fileStamp; }
  uint32_t owner() const { return fileOwner; } ///< the user's number; 0 on Windows

private:
  std::string realPath;
  FileStamp fileStamp;
  uint32_t fileOwner = 0;
  std::unique_ptr<llvm::sys::fs::mapped_file_region> region; ///< none for an empty file
  ByteVector copy;                                           ///< instead of the region
};

/// All that a file or a pipe holds; of standard input for "-".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readWhole(llvm::StringRef path);

/// The entry of `folder` that has this name, in any case if there is none in this one; empty if
/// there is no such entry. For names that come from Windows, which knows no case.
std::string findIgnoringCase(llvm::StringRef folder, llvm::StringRef name);

/// The stamp of what `path` names now.
llvm::Expected<FileStamp> stampOf(llvm::StringRef path);

} // namespace tcfix::io
