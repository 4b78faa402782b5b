#include "io/system.h"

#include "base/error.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#endif
#ifdef __APPLE__
#include <copyfile.h>
#include <mach-o/dyld.h>
#include <sys/xattr.h>
#endif

namespace tcfix::io::system {

namespace {

llvm::Error cannotWrite(int error) {
  if (error == ENOSPC || error == EDQUOT)
    return fail(ErrorCode::CannotWrite, "the disk is full",
                "free some space and run the same command again; the file is as it was");
  return fail(ErrorCode::CannotWrite,
              std::string("the new file cannot be written: ") + std::strerror(error));
}

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

#ifdef __linux__
// The cheapest ways first: shared blocks, then a copy inside the kernel. Both may be refused (other
// file systems, old kernels), and then the caller copies by hand.
bool copyInKernel(int from, int to, uint64_t size) {
  if (::ioctl(to, FICLONE, from) == 0)
    return true;
  loff_t in = 0, out = 0;
  while (static_cast<uint64_t>(in) < size) {
    ssize_t copied = ::copy_file_range(from, &in, to, &out, size - in, 0);
    if (copied < 0 && errno == EINTR)
      continue;
    if (copied <= 0)
      return false;
  }
  return true;
}

// Attributes that the system refuses to copy (security labels without the right) do not matter for
// loading; losing one is no reason to leave a library broken.
void copyExtendedAttributes(int from, int to, bool withCapabilities) {
  ssize_t length = ::flistxattr(from, nullptr, 0);
  if (length <= 0)
    return;
  std::string names(length, '\0');
  length = ::flistxattr(from, names.data(), names.size());
  for (const char* name = names.c_str(); length > 0 && name < names.data() + length;
       name += std::strlen(name) + 1) {
    ssize_t size = ::fgetxattr(from, name, nullptr, 0);
    if (size < 0 || (!withCapabilities && llvm::StringRef(name) == "security.capability"))
      continue;
    std::string value(size, '\0');
    size = ::fgetxattr(from, name, value.data(), value.size());
    if (size >= 0)
      (void)!::fsetxattr(to, name, value.data(), size, 0);
  }
}
#elif defined(__APPLE__)
bool copyInKernel(int, int, uint64_t) {
  return false;
}
void copyExtendedAttributes(int from, int to, bool) {
  ::fcopyfile(from, to, nullptr, COPYFILE_XATTR);
}
#else
bool copyInKernel(int, int, uint64_t) {
  return false;
}
void copyExtendedAttributes(int, int, bool) {}
#endif

volatile std::sig_atomic_t interruptFlag = 0;
void raiseInterruptFlag(int) {
  interruptFlag = 1;
}

} // namespace

void TemporaryFile::close() {
  if (descriptor >= 0)
    ::close(std::exchange(descriptor, -1));
}

llvm::Error TemporaryFile::copyFrom(const std::string& source, Bytes content) {
  Descriptor from(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (from >= 0 && copyInKernel(from, descriptor, content.size()))
    return llvm::Error::success();
  return write(0, content);
}

llvm::Error TemporaryFile::write(uint64_t offset, Bytes content) {
  // One system call takes at most 2 GiB.
  constexpr size_t kMost = size_t(1) << 30;
  while (!content.empty()) {
    ssize_t written = ::pwrite(descriptor, content.data(), std::min(content.size(), kMost),
                               static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return cannotWrite(errno);
    content = content.drop_front(written);
    offset += written;
  }
  return llvm::Error::success();
}

llvm::Error TemporaryFile::resize(uint64_t size) {
  if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0)
    return cannotWrite(errno);
  return llvm::Error::success();
}

llvm::Error TemporaryFile::keepAttributesOf(const std::string& source) {
  Descriptor from(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (from < 0 || ::fstat(from, &status) != 0)
    return cannotWrite(errno);
  // Only root may give files away; for everybody else the owner is already right, or cannot be.
  struct stat own;
  if (::fstat(descriptor, &own) == 0 &&
      (own.st_uid != status.st_uid || own.st_gid != status.st_gid))
    (void)!::fchown(descriptor, status.st_uid, status.st_gid);
  // No power is lent: the directory's owner, who may have put any file there, must have been able
  // to give these rights.
  struct stat directory;
  std::string parent = llvm::sys::path::parent_path(temporaryPath).str();
  bool isGiven = ::stat(parent.empty() ? "." : parent.c_str(), &directory) == 0 &&
                 (directory.st_uid == 0 || directory.st_uid == status.st_uid);
  copyExtendedAttributes(from, descriptor, isGiven && directory.st_uid == 0);
  if (::fchmod(descriptor, status.st_mode & (isGiven ? 07777 : 0777)) != 0)
    return cannotWrite(errno);
  return llvm::Error::success();
}

llvm::Error TemporaryFile::makeReadableLikeNewFiles() {
  // Asking for the mask sets it, for all threads: once is enough.
  static const mode_t mask = [] {
    mode_t present = ::umask(0);
    ::umask(present);
    return present;
  }();
  if (::fchmod(descriptor, 0666 & ~mask) != 0)
    return cannotWrite(errno);
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

llvm::Error syncFolder(llvm::StringRef folder) {
  std::string path = folder.empty() ? "." : folder.str();
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor < 0)
    return cannotWrite(errno);
  // File systems that cannot sync a folder say EINVAL; their renames are as durable as they get.
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
    return cannotWrite(errno);
  return llvm::Error::success();
}

System thisSystem() {
#ifdef __APPLE__
  return System::MacOs;
#else
  return System::Linux;
#endif
}

std::string calledPath() {
  std::string name;
#ifdef __linux__
  if (auto* text = reinterpret_cast<const char*>(::getauxval(AT_EXECFN)))
    name = text;
#elif defined(__APPLE__)
  char text[4096];
  uint32_t size = sizeof text;
  if (::_NSGetExecutablePath(text, &size) == 0)
    name = text;
#endif
  llvm::StringRef folder = llvm::sys::path::parent_path(name);
  llvm::SmallString<256> path;
  if (name.empty() || llvm::sys::fs::real_path(folder.empty() ? "." : folder, path))
    return programPath();
  llvm::sys::path::append(path, llvm::sys::path::filename(name));
  return llvm::sys::fs::can_execute(path) ? path.str().str() : programPath();
}

std::optional<std::string> readLink(const std::string& path) {
  // A link may say at most PATH_MAX; some systems do not tell its length beforehand.
  std::string text(4096, '\0');
  ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  if (size < 0)
    return std::nullopt;
  text.resize(static_cast<size_t>(size));
  return text;
}

bool isQuarantined(const std::string& path) {
#ifdef __APPLE__
  return ::getxattr(path.c_str(), "com.apple.quarantine", nullptr, 0, 0, 0) >= 0;
#else
  // What file servers and archive tools on other systems make of it.
  return ::getxattr(path.c_str(), "user.com.apple.quarantine", nullptr, 0) >= 0;
#endif
}

bool isWritableByAll(const std::string& folder) {
  struct stat status;
  return ::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0 &&
         (status.st_mode & S_ISVTX) == 0;
}

std::optional<unsigned> otherOwner(const std::string& path) {
  struct stat status;
  if (::geteuid() != 0 || ::stat(path.c_str(), &status) != 0 || status.st_uid == 0)
    return std::nullopt;
  return status.st_uid;
}

void allowManyOpenFiles() {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    // macOS calls its limit infinite but accepts no more than this.
    constexpr rlim_t kMost = 10240;
    limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kMost));
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

void watchForInterrupts() {
  struct sigaction action = {};
  action.sa_handler = raiseInterruptFlag;
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old = {};
    // A signal that our parent told us to ignore (nohup) stays ignored.
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

bool isInterrupted() {
  return interruptFlag != 0;
}

llvm::Expected<FolderLock> FolderLock::acquire(llvm::StringRef folder, Notify notify) {
  using namespace std::chrono;
  std::string path = folder.empty() ? "." : folder.str();
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor < 0 && errno == EACCES)
    return FolderLock(-1); // files in it may be readable all the same
  if (descriptor < 0)
    return fail(errno == ENOENT || errno == ENOTDIR ? ErrorCode::NotFound : ErrorCode::Unreadable,
                std::string("its folder cannot be opened: ") + std::strerror(errno));
  auto deadline = steady_clock::now() + seconds(kLockSeconds);
  bool hasSaidSo = false;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    // A file system without locks (some network mounts) must not stop a repair.
    if (errno != EWOULDBLOCK && errno != EINTR)
      return FolderLock(-1);
    if (isInterrupted())
      return fail(ErrorCode::Interrupted, "interrupted while waiting for another tcfix");
    if (steady_clock::now() >= deadline)
      return stillBusy();
    if (!std::exchange(hasSaidSo, true))
      notify(waitingMessage(folder));
    std::this_thread::sleep_for(milliseconds(20));
  }
  return FolderLock(::dup(descriptor));
}

FolderLock::~FolderLock() {
  if (handle >= 0)
    ::close(static_cast<int>(handle));
}

} // namespace tcfix::io::system
