#include "io/temporary_file.h"

#include "io/posix.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif
#ifdef __APPLE__
#include <copyfile.h>
#include <sys/clonefile.h>
#endif

namespace tcfix::io {

using posix::cannotWrite;
using posix::Descriptor;

namespace {

#ifdef __linux__
// Capabilities are power, and the rest of what only root may set is for root to give. Access lists
// and users' own attributes are the owner's.
bool isCarriedOver(llvm::StringRef name, bool isLent) {
  if (name == "security.capability")
    return false;
  return !isLent || name.starts_with("user.") || name == "system.posix_acl_access";
}

// Attributes that the system refuses to copy (security labels without the right) do not matter for
// loading; losing one is no reason to leave a library broken.
void copyExtendedAttributes(int from, int to, bool isLent) {
  ssize_t length = ::flistxattr(from, nullptr, 0);
  if (length <= 0)
    return;
  std::string names(length, '\0');
  length = ::flistxattr(from, names.data(), names.size());
  for (const char* name = names.c_str(); length > 0 && name < names.data() + length;
       name += std::strlen(name) + 1) {
    ssize_t size = isCarriedOver(name, isLent) ? ::fgetxattr(from, name, nullptr, 0) : -1;
    if (size < 0)
      continue;
    std::string value(size, '\0');
    size = ::fgetxattr(from, name, value.data(), value.size());
    if (size >= 0)
      (void)!::fsetxattr(to, name, value.data(), size, 0);
  }
}
#elif defined(__APPLE__)
// APFS shares blocks only with a file that is not there yet, so a clone replaces the empty new file
// `name`. It has the mode of its source: what its owner must not write is copied by hand.
bool replaceByClone(int source, uint64_t size, int directory, std::string& name, int& descriptor) {
  const std::string clone = system::newTemporaryName();
  if (::fclonefileat(source, directory, clone.c_str(), CLONE_NOFOLLOW | CLONE_NOOWNERCOPY) != 0)
    return false;
  int number = ::openat(directory, clone.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  if (number < 0 || ::fstat(number, &status) != 0 ||
      static_cast<uint64_t>(status.st_size) != size) {
    if (number >= 0)
      ::close(number);
    (void)::unlinkat(directory, clone.c_str(), 0);
    return false;
  }
  ::close(std::exchange(descriptor, number));
  (void)::unlinkat(directory, name.c_str(), 0);
  name = clone;
  return true;
}

void copyExtendedAttributes(int from, int to, bool) {
  ::fcopyfile(from, to, nullptr, COPYFILE_XATTR);
}
#else
void copyExtendedAttributes(int, int, bool) {}
#endif

/// Opens the very file that was read, or nothing: its path may name another one by now.
int openSame(const InputFile& file) {
  int number =
      ::open(file.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat status;
  if (number >= 0 && ::fstat(number, &status) == 0 && posix::stampFrom(status) == file.stamp())
    return number;
  if (number >= 0)
    ::close(number);
  return -1;
}

llvm::Error cannotLink(const std::string& path) {
  return fail(ErrorCode::CannotWrite,
              "a link cannot be made at " + path + ": " + std::strerror(errno));
}

} // namespace

void TemporaryFile::close() {
  if (descriptor >= 0)
    ::close(std::exchange(descriptor, -1));
}

llvm::Expected<TemporaryFile> TemporaryFile::createIn(const Directory& directory) {
  constexpr int kMostTries = 128; // as llvm::sys::fs::createUniqueFile has it
  std::string name;
  int number = -1;
  errno = EEXIST;
  for (int tries = 0; number < 0 && errno == EEXIST && tries < kMostTries; ++tries) {
    name = system::newTemporaryName();
    number = ::openat(directory.handle->descriptor, name.c_str(),
                      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  if (number < 0)
    return fail(ErrorCode::CannotWrite,
                std::string("a new file cannot be made in its folder: ") + std::strerror(errno),
                "tcfix never writes into the old file; it needs write permission in the folder");
  return TemporaryFile(directory, std::move(name), number);
}

llvm::Error TemporaryFile::reopen() {
  close();
  // Its mode may forbid more than reading.
  descriptor = ::openat(directory.handle->descriptor, name.c_str(),
                        O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return fail(ErrorCode::CannotWrite,
                std::string("the new file cannot be opened: ") + std::strerror(errno));
  return llvm::Error::success();
}

llvm::Error TemporaryFile::copyFrom(const InputFile& source, OnInterrupt onInterrupt) {
  Descriptor from(openSame(source));
#ifdef __APPLE__
  // Not in a directory of someone else, who could put another file in the clone's place.
  if (from >= 0 && !directory.handle->isLent() &&
      replaceByClone(from, source.bytes().size(), directory.handle->descriptor, name, descriptor))
    return llvm::Error::success();
#endif
  return posix::copyContent(source, from, descriptor, onInterrupt);
}

llvm::Error TemporaryFile::write(uint64_t offset, Bytes content, OnInterrupt onInterrupt) {
  return posix::writeAll(descriptor, offset, content, onInterrupt);
}

llvm::Error TemporaryFile::resize(uint64_t size) {
  if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0)
    return cannotWrite(errno);
  return llvm::Error::success();
}

llvm::Error TemporaryFile::giveToOwner(int file) {
  const struct stat& owner = directory.handle->status;
  if (directory.handle->isLent() && ::fchown(file, owner.st_uid, owner.st_gid) != 0)
    return cannotWrite(errno);
  return llvm::Error::success();
}

llvm::Error TemporaryFile::keepAttributesOf(int source) {
  struct stat status, own;
  if (::fstat(source, &status) != 0 || ::fstat(descriptor, &own) != 0)
    return cannotWrite(errno);
  const bool isLent = directory.handle->isLent();
  if (isLent) {
    if (status.st_uid != directory.handle->status.st_uid && !(status.st_mode & S_IROTH))
      return fail(ErrorCode::Unsupported,
                  "is not copied: the owner of its directory is not allowed to read it",
                  "root gives away no file that only root can read");
    if (llvm::Error error = giveToOwner(descriptor))
      return error;
  } else if (own.st_uid != status.st_uid || own.st_gid != status.st_gid) {
    // Only root may give files away; for everybody else the owner is already right, or cannot be.
    (void)!::fchown(descriptor, status.st_uid, status.st_gid);
  }
  copyExtendedAttributes(source, descriptor, isLent);
  // Never set-uid and set-gid: no library needs them, and a link may lead to a program that does.
  if (::fchmod(descriptor, status.st_mode & 0777) != 0)
    return cannotWrite(errno);
  return llvm::Error::success();
}

llvm::Error TemporaryFile::keepAttributesOf(const InputFile& source) {
  Descriptor from(openSame(source));
  if (from < 0)
    return fail(ErrorCode::ChangedMeanwhile,
                "someone else changed the file while tcfix worked on it",
                "run the same command again");
  return keepAttributesOf(from);
}

llvm::Error TemporaryFile::keepAttributesOf(llvm::StringRef sibling) {
  Descriptor from(::openat(directory.handle->descriptor, sibling.str().c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return from < 0 ? makeReadableLikeNewFiles() : keepAttributesOf(from);
}

llvm::Error TemporaryFile::makeReadableLikeNewFiles() {
  // Asking for the mask sets it, for all threads: once is enough.
  static const mode_t mask = [] {
    mode_t present = ::umask(0);
    ::umask(present);
    return present;
  }();
  if (llvm::Error error = giveToOwner(descriptor))
    return error;
  if (::fchmod(descriptor, 0666 & ~mask) != 0)
    return cannotWrite(errno);
  return llvm::Error::success();
}

llvm::Error TemporaryFile::becomeLink(const std::string& text) {
  close();
  const int at = directory.handle->descriptor;
  if (::unlinkat(at, name.c_str(), 0) != 0 || ::symlinkat(text.c_str(), at, name.c_str()) != 0)
    return cannotLink(path());
#ifdef __linux__
  // By a handle, and only if it has no other name: a link that someone put there is not given away.
  if (directory.handle->isLent()) {
    const struct stat& owner = directory.handle->status;
    Descriptor link(::openat(at, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (link >= 0 && ::fstat(link, &status) == 0 && S_ISLNK(status.st_mode) && status.st_nlink == 1)
      (void)!::fchownat(link, "", owner.st_uid, owner.st_gid, AT_EMPTY_PATH);
  }
#endif
  return llvm::Error::success();
}

llvm::Error TemporaryFile::becomeTwinOf(const Place& file) {
  close();
  const int at = directory.handle->descriptor;
  if (::unlinkat(at, name.c_str(), 0) != 0 ||
      ::linkat(file.directory.handle->descriptor, file.name.c_str(), at, name.c_str(), 0) != 0)
    return cannotLink(path());
  return llvm::Error::success();
}

llvm::Error TemporaryFile::sync() {
#ifdef __APPLE__
  // fsync on macOS stops at the drive's cache; this one does not. Some file systems lack it.
  bool isSynced = ::fcntl(descriptor, F_FULLFSYNC) == 0 || ::fsync(descriptor) == 0;
#else
  bool isSynced = ::fsync(descriptor) == 0;
#endif
  if (!isSynced)
    return cannotWrite(errno);
  // Hundreds of files may wait for their commit; descriptors are scarce.
  close();
  return llvm::Error::success();
}

} // namespace tcfix::io
