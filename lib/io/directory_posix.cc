#include "io/directory.h"

#include "base/error.h"

#include "io/posix.h"

#include <llvm/Support/Path.h>

#include <chrono>
#include <dirent.h>
#include <sys/file.h>
#include <thread>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

namespace tcfix::io {

namespace {

constexpr int kAsDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Opens one component at a time, for systems that cannot refuse links in a single call.
int openStepByStep(llvm::StringRef path, int flags) {
  namespace names = llvm::sys::path;
  const llvm::StringRef parent = names::parent_path(path);
  int at = ::open("/", kAsDirectory);
  auto enter = [&](llvm::StringRef name, int how) {
    int next = ::openat(at, name.str().c_str(), how);
    int error = errno;
    ::close(at);
    errno = error;
    at = next;
  };
  for (llvm::StringRef name : llvm::make_range(names::begin(parent), names::end(parent)))
    if (at >= 0 && name != "/")
      enter(name, kAsDirectory);
  if (at >= 0 && path != "/")
    enter(names::filename(path), flags | O_NOFOLLOW);
  return at;
}

llvm::Error cannotOpen(const std::string& path, int error) {
  if (error == ENOENT)
    return at(path, fail(ErrorCode::NotFound, "no such directory"));
  if (error == ELOOP || error == ENOTDIR)
    return at(path, fail(ErrorCode::Unsupported, "is a link or a file, not a directory"));
  return at(path, fail(ErrorCode::Unreadable,
                       std::string("cannot open the directory: ") + std::strerror(error)));
}

std::error_code lastError() {
  return {errno, std::generic_category()};
}

} // namespace

int posix::openWithoutLinks(llvm::StringRef path, int flags) {
#if defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
  struct open_how how = {};
  how.flags = flags;
  how.resolve = RESOLVE_NO_SYMLINKS;
  long number = ::syscall(SYS_openat2, AT_FDCWD, path.str().c_str(), &how, sizeof how);
  if (number >= 0 || (errno != ENOSYS && errno != EPERM && errno != EINVAL))
    return static_cast<int>(number);
#elif defined(O_NOFOLLOW_ANY)
  int number = ::open(path.str().c_str(), (flags & ~O_NOFOLLOW) | O_NOFOLLOW_ANY);
  if (number >= 0 || errno != EINVAL)
    return number;
#endif
  return openStepByStep(path, flags);
}

llvm::Expected<std::shared_ptr<const Directory::Handle>>
Directory::Handle::adopt(int number, std::string path) {
  if (number < 0)
    return cannotOpen(path, errno);
  auto handle = std::make_shared<Handle>(number, std::move(path));
  if (::fstat(number, &handle->status) != 0)
    return cannotOpen(handle->path, errno);
  return handle;
}

llvm::Expected<Directory> Directory::open(llvm::StringRef path) {
  auto handle = Handle::adopt(posix::openWithoutLinks(path, kAsDirectory), path.str());
  if (!handle)
    return handle.takeError();
  return Directory(std::move(*handle));
}

llvm::Expected<Directory> Directory::enter(llvm::StringRef name) const {
  auto child =
      Handle::adopt(::openat(handle->descriptor, name.str().c_str(), kAsDirectory), pathOf(name));
  if (!child)
    return child.takeError();
  return Directory(std::move(*child));
}

std::optional<Directory> Directory::parent() const {
  int number = -1;
#if defined(SYS_openat2) && defined(RESOLVE_NO_XDEV)
  struct open_how how = {};
  how.flags = kAsDirectory;
  how.resolve = RESOLVE_NO_XDEV; // a directory of the same file system may be mounted, too
  number = static_cast<int>(::syscall(SYS_openat2, handle->descriptor, "..", &how, sizeof how));
  if (number < 0 && errno == EXDEV)
    return std::nullopt;
#endif
  if (number < 0)
    number = ::openat(handle->descriptor, "..", kAsDirectory);
  std::optional<std::shared_ptr<const Handle>> above = llvm::expectedToOptional(
      Handle::adopt(number, llvm::sys::path::parent_path(handle->path).str()));
  if (!above || (*above)->status.st_dev != handle->status.st_dev)
    return std::nullopt;
  return Directory(std::move(*above));
}

llvm::Expected<Directory> Directory::make(llvm::StringRef name) const {
  if (::mkdirat(handle->descriptor, name.str().c_str(), 0777) != 0 && errno != EEXIST)
    return at(pathOf(name),
              fail(ErrorCode::CannotWrite,
                   std::string("cannot create the directory: ") + std::strerror(errno)));
  llvm::Expected<Directory> child = enter(name);
  // Change the owner only of an empty directory of root's: it may not be the one just created.
  if (!child || !handle->isLent() || child->handle->status.st_uid != 0 || !child->names().empty())
    return child;
  const int number = child->handle->descriptor;
  if (::fchown(number, handle->status.st_uid, handle->status.st_gid) != 0)
    return at(pathOf(name), posix::cannotWrite(errno));
  auto given = Handle::adopt(::fcntl(number, F_DUPFD_CLOEXEC, 0), pathOf(name));
  if (!given)
    return given.takeError();
  return Directory(std::move(*given));
}

const std::string& Directory::path() const {
  return handle->path;
}

Directory::Identity Directory::identity() const {
  return {handle->status.st_dev, handle->status.st_ino};
}

llvm::Expected<FileStamp> Directory::stampOf(llvm::StringRef name) const {
  struct stat status;
  if (::fstatat(handle->descriptor, name.str().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? fail(ErrorCode::NotFound, "no such file")
                           : fail(ErrorCode::Unreadable,
                                  std::string("cannot read the file: ") + std::strerror(errno));
  return posix::stampFrom(status);
}

std::optional<std::string> Directory::readLink(llvm::StringRef name) const {
  return posix::readLinkAt(handle->descriptor, name.str());
}

std::vector<std::string> Directory::names() const {
  std::vector<std::string> names;
  // A separate stream: all users of the descriptor share one position.
  int number = ::openat(handle->descriptor, ".", kAsDirectory);
  DIR* stream = number < 0 ? nullptr : ::fdopendir(number);
  if (!stream) {
    if (number >= 0)
      ::close(number);
    return names;
  }
  while (const dirent* entry = ::readdir(stream))
    if (llvm::StringRef name = entry->d_name; name != "." && name != "..")
      names.push_back(name.str());
  ::closedir(stream);
  return names;
}

std::error_code Directory::rename(llvm::StringRef from, llvm::StringRef to) const {
  if (::renameat(handle->descriptor, from.str().c_str(), handle->descriptor, to.str().c_str()) != 0)
    return lastError();
  return {};
}

std::error_code Directory::remove(llvm::StringRef name) const {
  if (::unlinkat(handle->descriptor, name.str().c_str(), 0) != 0 && errno != ENOENT)
    return lastError();
  return {};
}

void Directory::removeIfEmpty(llvm::StringRef name) const {
  (void)!::unlinkat(handle->descriptor, name.str().c_str(), AT_REMOVEDIR);
}

bool Directory::trusts(const InputFile& file) const {
  return file.owner() == 0 || file.owner() == ::geteuid() || file.owner() == handle->status.st_uid;
}

llvm::Error Directory::sync() const {
  // File systems that cannot sync a directory report EINVAL; their renames are as durable as
  // possible.
  if (::fsync(handle->descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
    return at(path(), posix::cannotWrite(errno));
  return llvm::Error::success();
}

llvm::Expected<DirectoryLock> DirectoryLock::acquire(const Directory& directory, Notify notify) {
  using namespace std::chrono;
  const int descriptor = directory.handle->descriptor;
  auto deadline = steady_clock::now() + seconds(system::kLockSeconds);
  bool hasSaidSo = false;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    // A file system without locks (some network mounts) must not stop a repair.
    if (errno != EWOULDBLOCK && errno != EINTR)
      return DirectoryLock(-1);
    if (system::isInterrupted())
      return fail(ErrorCode::Interrupted, "interrupted while waiting for another tcfix");
    if (steady_clock::now() >= deadline)
      return system::stillBusy();
    if (!std::exchange(hasSaidSo, true))
      notify(system::waitingMessage(directory.path()));
    std::this_thread::sleep_for(milliseconds(20));
  }
  return DirectoryLock(::dup(descriptor));
}

// Both descriptors share the lock.
DirectoryLock::~DirectoryLock() {
  if (handle < 0)
    return;
  ::flock(static_cast<int>(handle), LOCK_UN);
  ::close(static_cast<int>(handle));
}

} // namespace tcfix::io
