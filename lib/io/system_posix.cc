#include "io/system.h"

#include "io/posix.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <csignal>
#include <sys/resource.h>

#ifdef __linux__
#include <sys/auxv.h>
#include <sys/xattr.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <sys/xattr.h>
#endif

namespace tcfix::io::system {

namespace {

volatile std::sig_atomic_t interruptFlag = 0;
void raiseInterruptFlag(int) {
  interruptFlag = 1;
}

} // namespace

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

llvm::Expected<llvm::sys::fs::file_t> openForReading(const std::string& path) {
  int number = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (number < 0)
    return llvm::errorCodeToError({errno, std::generic_category()});
  return number;
}

// LLVM's blocks all signals meanwhile, for systems where an interrupted close must be repeated.
void close(llvm::sys::fs::file_t file) {
  ::close(file);
}

std::optional<std::string> readLink(const std::string& path) {
  return posix::readLinkAt(AT_FDCWD, path);
}

bool isQuarantined(const std::string& path) {
#ifdef __APPLE__
  return ::getxattr(path.c_str(), "com.apple.quarantine", nullptr, 0, 0, 0) >= 0;
#else
  // File servers and archive tools on other systems store it under this name.
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
    // macOS reports an infinite limit but accepts no more than this.
    constexpr rlim_t kMost = 10240;
    limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kMost));
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

void ignoreSizeLimits() {
  ::signal(SIGXFSZ, SIG_IGN);
}

void watchForInterrupts() {
  struct sigaction action = {};
  action.sa_handler = raiseInterruptFlag;
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old = {};
    // Keep ignoring a signal that the parent process set to be ignored (nohup).
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

bool isInterrupted() {
  return interruptFlag != 0;
}

} // namespace tcfix::io::system
