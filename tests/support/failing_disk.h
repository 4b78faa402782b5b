// Directories where writing fails: on a full disk, or read-only. Creating them may need permissions
// that a test does not have; the test is then skipped with a message.
#pragma once

#include "support/temporary_folder.h"

#include <unistd.h>

#include <fcntl.h>
#include <sys/stat.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#endif

namespace tcfix::support {

/// A disk of 512 KiB. fill() uses all of its free blocks.
class SmallDisk {
public:
  SmallDisk() {
#ifdef __linux__
    isMounted = ::mount("none", folder.path().c_str(), "tmpfs", 0, "size=512k") == 0;
#endif
  }
  ~SmallDisk() {
#ifdef __linux__
    if (isMounted)
      ::umount2(folder.path().c_str(), MNT_DETACH);
#endif
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool isThere() const { return isMounted; }
  const TemporaryFolder& at() const { return folder; }

  void fill() const {
    int file = ::open(folder.path("filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    char block[4096] = {1};
    while (::write(file, block, sizeof block) > 0)
      continue;
    ::close(file);
  }

private:
  TemporaryFolder folder;
  bool isMounted = false;
};

/// During its lifetime, no file can be created in `folder`. Only the immutable flag stops root.
class FrozenFolder {
public:
  explicit FrozenFolder(const std::string& folder) : folder(folder) {
    if (::geteuid() != 0)
      isFrozen = ::chmod(folder.c_str(), 0555) == 0;
    else
      isFrozen = setImmutable(true);
  }
  ~FrozenFolder() {
    if (::geteuid() != 0)
      ::chmod(folder.c_str(), 0755);
    else if (isFrozen)
      setImmutable(false);
  }
  FrozenFolder(const FrozenFolder&) = delete;
  FrozenFolder& operator=(const FrozenFolder&) = delete;

  bool isThere() const { return isFrozen; }

private:
  bool setImmutable([[maybe_unused]] bool isOn) const {
    bool isDone = false;
#ifdef __linux__
    int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int flags = 0;
    if (handle >= 0 && ::ioctl(handle, FS_IOC_GETFLAGS, &flags) == 0) {
      flags = isOn ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
      isDone = ::ioctl(handle, FS_IOC_SETFLAGS, &flags) == 0;
    }
    if (handle >= 0)
      ::close(handle);
#endif
    return isDone;
  }

  std::string folder;
  bool isFrozen = false;
};

} // namespace tcfix::support
