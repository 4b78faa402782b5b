#include "io/temporary_file.h"

#include "base/paths.h"
#include "io/posix.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

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
// Capabilities are privileges, and IMA and EVM store hashes of the old content. Other attributes
// that only root may set are for root to assign. Access lists and user attributes belong to the
// owner.
bool isCarriedOver(llvm::StringRef name, bool isLent) {
  if (name == "security.capability" || name == "security.ima" || name == "security.evm")
    return false;
  return !isLent || name.starts_with("user.") || name == "system.posix_acl_access";
}

// Attributes that the system refuses to copy (such as security labels, without permission) do not
// affect loading, so losing one is no reason to leave a library broken.
void copyExtendedAttributes(int from, int to, bool isLent) {
  // A new file inherits the default access list of its directory, which the old one may not have.
  (void)!::fremovexattr(to, "system.posix_acl_access");
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
// APFS can only clone to a file that does not exist, so the clone replaces the empty new file
// `name`. A clone has the mode of its source; if that is not writable, the file is copied instead.
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

/// Opens the file that was read, or nothing: its path may name another file by now.
int openSame(const InputFile& file) {
  int number = posix::openWithoutLinks(file.path(),
                                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat status;
  if (number >= 0 && ::fstat(number, &status) == 0 && posix::stampFrom(status) == file.stamp())
    return number;
  if (number >= 0)
    ::close(number);
  return -1;
}

/// Whether the owner of `directory` has search permission for all parent directories of a file,
/// except for those that are also parents of `directory`. Supplementary groups are unknown: a
/// directory that only they can search counts as closed.
bool canReach(const struct stat& owner, llvm::StringRef directory, llvm::StringRef file) {
  namespace names = llvm::sys::path;
  for (llvm::StringRef above = names::parent_path(file); !isWithin(directory, above);
       above = names::parent_path(above)) {
    struct stat status;
    if (::lstat(above.str().c_str(), &status) != 0)
      return false;
    const mode_t needed = status.st_uid == owner.st_uid   ? S_IXUSR
                          : status.st_gid == owner.st_gid ? S_IXGRP
                                                          : S_IXOTH;
    if (!(status.st_mode & needed))
      return false;
  }
  return true;
}

llvm::Error changedMeanwhile() {
  return fail(ErrorCode::ChangedMeanwhile,
              "the file was changed by another program while tcfix worked on it",
              "run the same command again");
}

bool canRead(const struct stat& owner, const struct stat& file) {
  return file.st_uid == owner.st_uid || (file.st_mode & S_IROTH);
}

llvm::Error unreadableForOwner() {
  return fail(ErrorCode::Unsupported, "not copied: the owner of its directory cannot read it",
              "tcfix, as root, does not give away files that only root can read");
}

llvm::Error cannotLink(const std::string& path) {
  return fail(ErrorCode::CannotWrite,
              "cannot create a link at " + path + ": " + std::strerror(errno));
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
    return fail(
        ErrorCode::CannotWrite,
        std::string("cannot create a file in its directory: ") + std::strerror(errno),
        "tcfix never writes into the old file; it needs write permission for the directory");
  return TemporaryFile(directory, std::move(name), number);
}

llvm::Error TemporaryFile::reopen() {
  close();
  // The source's mode may forbid writing.
  descriptor = ::openat(directory.handle->descriptor, name.c_str(),
                        O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return fail(ErrorCode::CannotWrite,
                std::string("cannot open the new file: ") + std::strerror(errno));
  return llvm::Error::success();
}

llvm::Error TemporaryFile::copyFrom(const InputFile& source, OnInterrupt onInterrupt) {
  Descriptor from(openSame(source));
#ifdef __APPLE__
  // Not in another user's directory: the owner could replace the clone with another file.
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

llvm::Error TemporaryFile::checkReadableByOwner(const InputFile& source) const {
  const Directory::Handle& handle = *directory.handle;
  if (!handle.isLent())
    return llvm::Error::success();
  Descriptor from(openSame(source));
  struct stat status;
  if (from < 0 || ::fstat(from, &status) != 0)
    return changedMeanwhile();
  if (!canRead(handle.status, status) || !canReach(handle.status, handle.path, source.path()))
    return unreadableForOwner();
  return llvm::Error::success();
}

llvm::Error TemporaryFile::keepAttributesOf(int source) {
  struct stat status, own;
  if (::fstat(source, &status) != 0 || ::fstat(descriptor, &own) != 0)
    return cannotWrite(errno);
  const bool isLent = directory.handle->isLent();
  if (isLent) {
    if (!canRead(directory.handle->status, status))
      return unreadableForOwner();
    if (llvm::Error error = giveToOwner(descriptor))
      return error;
  } else if (own.st_uid != status.st_uid || own.st_gid != status.st_gid) {
    // Only root may change the owner; for other users it is already right or cannot be set.
    (void)!::fchown(descriptor, status.st_uid, status.st_gid);
  }
  copyExtendedAttributes(source, descriptor, isLent);
  // Never set-uid or set-gid: no library needs them, and a link may point to a program that has
  // them.
  if (::fchmod(descriptor, status.st_mode & 0777) != 0)
    return cannotWrite(errno);
  return llvm::Error::success();
}

llvm::Error TemporaryFile::keepAttributesOf(const InputFile& source) {
  Descriptor from(openSame(source));
  if (from < 0)
    return changedMeanwhile();
  const Directory::Handle& handle = *directory.handle;
  if (handle.isLent() && !canReach(handle.status, handle.path, source.path()))
    return unreadableForOwner();
  return keepAttributesOf(from);
}

llvm::Error TemporaryFile::keepAttributesOf(llvm::StringRef sibling) {
  Descriptor from(::openat(directory.handle->descriptor, sibling.str().c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return from < 0 ? makeReadableLikeNewFiles() : keepAttributesOf(from);
}

llvm::Error TemporaryFile::makeReadableLikeNewFiles() {
  // Reading the mask sets it for all threads, so do it once.
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
  // By descriptor, and only if it has no other name: a hard link planted by another user is not
  // given away.
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
  // fsync on macOS stops at the drive's cache; F_FULLFSYNC does not, but some file systems lack it.
  bool isSynced = ::fcntl(descriptor, F_FULLFSYNC) == 0 || ::fsync(descriptor) == 0;
#else
  bool isSynced = ::fsync(descriptor) == 0;
#endif
  if (!isSynced)
    return cannotWrite(errno);
  // Hundreds of files may be waiting for their commit, and descriptors are limited.
  close();
  return llvm::Error::success();
}

} // namespace tcfix::io
