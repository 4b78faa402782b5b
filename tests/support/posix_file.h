// File attributes from the operating system, for tests of safe writing. POSIX only.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace tcfix::support {

inline struct stat statusOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status;
}

inline ino_t inodeOf(const std::string& path) {
  return statusOf(path).st_ino;
}

inline int64_t modifiedNs(const std::string& path) {
  struct stat status = statusOf(path);
#ifdef __APPLE__
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// False if the file system has no extended attributes.
inline bool setAttribute(const std::string& path, const char* name, const std::string& value) {
#ifdef __APPLE__
  return ::setxattr(path.c_str(), name, value.data(), value.size(), 0, 0) == 0;
#else
  return ::setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0;
#endif
}

inline std::string attributeOf(const std::string& path, const char* name) {
  char buffer[256];
#ifdef __APPLE__
  ssize_t size = ::getxattr(path.c_str(), name, buffer, sizeof buffer, 0, 0);
#else
  ssize_t size = ::getxattr(path.c_str(), name, buffer, sizeof buffer);
#endif
  return size < 0 ? std::string() : std::string(buffer, size);
}

/// Runs `body` in a separate process; true if it returns true there.
class Process {
public:
  explicit Process(const std::function<bool()>& body) : id(::fork()) {
    if (id == 0)
      ::_exit(body() ? 0 : 1);
  }
  bool succeeds() {
    int status = -1;
    return id > 0 && ::waitpid(id, &status, 0) == id && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
  }

private:
  pid_t id;
};

} // namespace tcfix::support
