// Reading files: mapped, never copied, with a stamp that shows later whether it is still the same
// file.
//
// Files that are too large are refused before they are mapped. No library approaches kLargestFile
// (Mach-O and PE end at 4 GiB; the largest ELF libraries with debug information are about 10 GiB),
// and no list, journal or configuration file approaches kLargestText. Anything larger is corrupt or
// malicious, mostly a sparse file, and would take hours to hash.
#pragma once

#include "base/bytes.h"
#include "io/mapping.h"

#include <llvm/Support/Error.h>
#include <memory>
#include <string>

namespace tcfix::io {

constexpr uint64_t kLargestFile = uint64_t(64) << 30;
constexpr uint64_t kLargestText = uint64_t(256) << 20;

/// Equal stamps mean that a file is still the one that was read.
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
  /// Follows symbolic links. Refuses directories, devices, pipes, unreadable files, and files
  /// larger than `largest`.
  static llvm::Expected<InputFile> open(llvm::StringRef path, uint64_t largest = kLargestFile);
  /// The same for an absolute path without symbolic links: one that is at its end by now is
  /// refused. `isKnownFile`: it was seen to be a regular file.
  static llvm::Expected<InputFile> openReal(llvm::StringRef path, uint64_t largest = kLargestFile,
                                            bool isKnownFile = false);

  const std::string& path() const { return realPath; } ///< without symbolic links
  Bytes bytes() const;
  /// Replaces the mapping by a copy of the bytes: Windows cannot delete a mapped file.
  void unmap();
  /// True if the file was truncated while it was read.
  bool isTorn() const { return wasTorn || (mapping && mapping->isTorn()); }
  /// Fails if the file was written to since it was opened: the bytes read may be a mix of old and
  /// new content. A file that was replaced as a whole is still complete.
  llvm::Error checkWhole() const;
  /// The same, taking precedence over `other`, which may only be a consequence of the lost bytes.
  llvm::Error checkWhole(llvm::Error other) const;
  const FileStamp& stamp() const { return fileStamp; }
  uint32_t owner() const { return fileOwner; } ///< user id; 0 on Windows

private:
  llvm::Error take(llvm::sys::fs::file_t handle, uint64_t largest);

  std::string realPath;
  FileStamp fileStamp;
  uint32_t fileOwner = 0;
  std::unique_ptr<Mapping> mapping; ///< none for an empty file
  ByteVector copy;                  ///< instead of the mapping
  bool wasTorn = false;             ///< when it was copied
};

/// The whole content of a file, pipe or device, or of standard input for "-". Fails if it is larger
/// than `largest`.
llvm::Expected<std::string> readWhole(llvm::StringRef path, uint64_t largest);

/// A number of bytes in readable form: "1.5 GiB".
std::string sizeText(uint64_t size);

/// The error for a file that changed while it was read.
llvm::Error changedWhileRead();

/// The entry of `folder` with this name; if there is none, an entry that differs only in case;
/// otherwise empty. For names from Windows, where case does not matter.
std::string findIgnoringCase(llvm::StringRef folder, llvm::StringRef name);

/// The stamp of the file that `path` names now.
llvm::Expected<FileStamp> stampOf(llvm::StringRef path);

} // namespace tcfix::io
