// Shared by the POSIX sources of this module only.
#pragma once

#include "base/error.h"
#include "io/temporary_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tcfix::io {

struct Directory::Handle {
  Handle(int descriptor, std::string path) : descriptor(descriptor), path(std::move(path)) {}
  Handle(const Handle&) = delete;
  ~Handle() { ::close(descriptor); }

  static llvm::Expected<std::shared_ptr<const Handle>> adopt(int descriptor, std::string path);
  /// True for root in another user's directory: files created there must belong to that user.
  bool isLent() const { return status.st_uid != 0 && ::geteuid() == 0; }

  const int descriptor;
  const std::string path;
  struct stat status = {};
};

namespace posix {

inline llvm::Error cannotWrite(int error) {
  if (error == ENOSPC || error == EDQUOT)
    return fail(ErrorCode::CannotWrite, "the disk is full",
                "free some space and run the same command again; the file was not changed");
  return fail(ErrorCode::CannotWrite,
              std::string("cannot write the new file: ") + std::strerror(error));
}

inline FileStamp stampFrom(const struct stat& status) {
#ifdef __APPLE__
  const struct timespec& modified = status.st_mtimespec;
#else
  const struct timespec& modified = status.st_mtim;
#endif
  return {static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino),
          static_cast<uint64_t>(status.st_size),
          static_cast<int64_t>(modified.tv_sec) * 1'000'000'000 + modified.tv_nsec};
}

inline std::optional<std::string> readLinkAt(int directory, const std::string& name) {
  // A link's target is at most PATH_MAX long; not every system reports the length beforehand.
  std::string text(4096, '\0');
  ssize_t size = ::readlinkat(directory, name.c_str(), text.data(), text.size());
  if (size < 0)
    return std::nullopt;
  text.resize(static_cast<size_t>(size));
  return text;
}

/// directory_posix.cc: opens an absolute path without following any link.
int openWithoutLinks(llvm::StringRef path, int flags);

/// copy_posix.cc: copies the content of `source` into the empty file `to`. `from` is `source`
/// opened for reading, or -1 if its path no longer names it.
llvm::Error copyContent(const InputFile& source, int from, int to, OnInterrupt onInterrupt);
llvm::Error writeAll(int to, uint64_t offset, Bytes content, OnInterrupt onInterrupt);

class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number; }

private:
  int number;
};

} // namespace posix
} // namespace tcfix::io
