// Reading files: mapped, never copied, with an identity that tells later whether it is still the
// same file.
//
// Files that are too large are refused before they are mapped. No library comes near kLargestFile
// (Mach-O and PE end at 4 GiB; the largest ELF libraries with debug information have about 10 GiB),
// and no list, journal or configuration near kLargestText. What is larger is a damaged or hostile
// file, mostly of holes, which would take hours to hash.
#pragma once

#include "base/bytes.h"
#include "io/mapping.h"

#include <llvm/Support/Error.h>
#include <memory>
#include <string>

namespace tcfix::io {

constexpr uint64_t kLargestFile = uint64_t(64) << 30;
constexpr uint64_t kLargestText = uint64_t(256) << 20;

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
  /// Follows symbolic links. Refuses folders, devices, pipes, what cannot be read, and what is
  /// larger than `largest`.
  static llvm::Expected<InputFile> open(llvm::StringRef path, uint64_t largest = kLargestFile);
  /// The same for an absolute path without symbolic links.
  static llvm::Expected<InputFile> openReal(llvm::StringRef path, uint64_t largest = kLargestFile);

  const std::string& path() const { return realPath; } ///< without symbolic links
  Bytes bytes() const;
  /// Keeps a copy of the bytes instead of the mapping: Windows deletes no file that is mapped.
  void unmap();
  /// True when the file was truncated while its bytes were read.
  bool isTorn() const { return wasTorn || (mapping && mapping->isTorn()); }
  /// An error if someone wrote to the file since it was opened: what was read may be half of the
  /// old content and half of the new one. A file that was replaced as a whole is still complete.
  llvm::Error checkWhole() const;
  /// The same before any other error, which would only be about the bytes that were lost.
  llvm::Error checkWhole(llvm::Error other) const;
  const FileStamp& stamp() const { return fileStamp; }
  uint32_t owner() const { return fileOwner; } ///< the user's number; 0 on Windows

private:
  llvm::Error take(llvm::sys::fs::file_t handle, uint64_t largest);

  std::string realPath;
  FileStamp fileStamp;
  uint32_t fileOwner = 0;
  std::unique_ptr<Mapping> mapping; ///< none for an empty file
  ByteVector copy;                  ///< instead of the mapping
  bool wasTorn = false;             ///< when it was copied
};

/// All that a file, a pipe or a device holds; of standard input for "-". Refused if that is more
/// than `largest`.
llvm::Expected<std::string> readWhole(llvm::StringRef path, uint64_t largest);

/// A number of bytes for people: "1.5 GiB".
std::string sizeText(uint64_t size);

/// The error for a file that changed under a reader.
llvm::Error changedWhileRead();

/// The entry of `folder` that has this name, in any case if there is none in this one; empty if
/// there is no such entry. For names that come from Windows, which knows no case.
std::string findIgnoringCase(llvm::StringRef folder, llvm::StringRef name);

/// The stamp of what `path` names now.
llvm::Expected<FileStamp> stampOf(llvm::StringRef path);

} // namespace tcfix::io
