// Copies whole files, which may be sparse, larger than the disk, on a slow disk, or truncated
// during the copy.
#include "io/posix.h"

#include <algorithm>
#include <sys/statvfs.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#endif

namespace tcfix::io::posix {

namespace {

/// Copied between two checks for an interrupt: takes a moment on any disk.
constexpr uint64_t kPortion = 16 << 20;

/// Zeros are left out in blocks of this size and alignment, the smallest hole of file systems.
constexpr uint64_t kBlock = 4096;

bool isZero(Bytes bytes) {
  return bytes.front() == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

llvm::Error refuseIf(OnInterrupt onInterrupt) {
  return onInterrupt == OnInterrupt::Stop ? system::refuseIfInterrupted() : llvm::Error::success();
}

/// Checked before the first byte is written, so that a failing copy does not fill the disk. File
/// systems that cannot report free space report zero blocks.
llvm::Error checkSpace(int to, uint64_t needed) {
  struct statvfs disk;
  if (::fstatvfs(to, &disk) != 0 || disk.f_blocks == 0)
    return llvm::Error::success();
  const uint64_t blocks = ::geteuid() == 0 ? disk.f_bfree : disk.f_bavail;
  const uint64_t free = blocks * uint64_t(disk.f_frsize);
  if (needed <= free)
    return llvm::Error::success();
  return fail(ErrorCode::CannotWrite,
              "the disk is full: " + sizeText(needed) + " needed, " + sizeText(free) + " free",
              "free some space and run the same command again; the file was not changed");
}

#ifdef __linux__
/// Copies [offset, end) inside the kernel. Returns where it stopped: before `end` if a file system
/// or an old kernel does not support it, or if the file is shorter.
llvm::Expected<uint64_t> copyRange(int from, int to, uint64_t offset, uint64_t end,
                                   OnInterrupt onInterrupt) {
  while (offset < end) {
    if (llvm::Error error = refuseIf(onInterrupt))
      return error;
    loff_t in = offset, out = offset;
    // The raw system call: glibc has the function since 2.27, and releases are linked for 2.17.
    const uint64_t size = std::min<uint64_t>(end - offset, kPortion);
    const long copied = ::syscall(SYS_copy_file_range, from, &in, to, &out, size, 0);
    if (copied < 0 && errno == EINTR)
      continue;
    if (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
      return cannotWrite(errno);
    if (copied <= 0)
      break;
    offset += copied;
  }
  return offset;
}

/// Copies the parts that are not holes; false if the caller must copy in user space.
llvm::Expected<bool> copyInKernel(int from, int to, uint64_t size, OnInterrupt onInterrupt) {
  for (uint64_t offset = 0; offset < size;) {
    off_t data = ::lseek(from, static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0 && errno == ENXIO)
      break; // only a hole remains
    off_t hole = data < 0 ? -1 : ::lseek(from, data, SEEK_HOLE);
    if (hole < 0)
      return false;
    const uint64_t end = std::min<uint64_t>(hole, size);
    llvm::Expected<uint64_t> reached = copyRange(from, to, data, end, onInterrupt);
    if (!reached)
      return reached.takeError();
    if (*reached != end)
      return false;
    offset = end;
  }
  return true;
}

bool shareBlocks(int from, int to) {
  return ::ioctl(to, FICLONE, from) == 0;
}
#else
llvm::Expected<bool> copyInKernel(int, int, uint64_t, OnInterrupt) {
  return false;
}
bool shareBlocks(int, int) {
  return false;
}
#endif

llvm::Error copyByHand(Bytes content, int to, OnInterrupt onInterrupt) {
  for (uint64_t offset = 0; offset < content.size();) {
    if (llvm::Error error = refuseIf(onInterrupt))
      return error;
    const Bytes rest = content.drop_front(offset);
    if (isZero(rest.take_front(kBlock))) {
      offset += std::min<uint64_t>(rest.size(), kBlock);
      continue;
    }
    uint64_t length = std::min<uint64_t>(rest.size(), kBlock);
    while (length < std::min<uint64_t>(rest.size(), kPortion) &&
           !isZero(rest.drop_front(length).take_front(kBlock)))
      length = std::min<uint64_t>(rest.size(), length + kBlock);
    if (llvm::Error error = writeAll(to, offset, rest.take_front(length), onInterrupt))
      return error;
    offset += length;
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error writeAll(int to, uint64_t offset, Bytes content, OnInterrupt onInterrupt) {
  while (!content.empty()) {
    if (llvm::Error error = refuseIf(onInterrupt))
      return error;
    ssize_t written = ::pwrite(to, content.data(), std::min<uint64_t>(content.size(), kPortion),
                               static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0 && errno == EFAULT)
      return changedWhileRead(); // the file is shorter than its mapping
    if (written < 0)
      return cannotWrite(errno);
    content = content.drop_front(written);
    offset += written;
  }
  return llvm::Error::success();
}

llvm::Error copyContent(const InputFile& source, int from, int to, OnInterrupt onInterrupt) {
  const uint64_t size = source.bytes().size();
  struct stat status;
  bool isDone = from >= 0 && shareBlocks(from, to);
  if (!isDone && from >= 0 && ::fstat(from, &status) == 0) {
    if (llvm::Error error = checkSpace(to, std::min(uint64_t(status.st_blocks) * 512, size)))
      return error;
    if (llvm::Error error = copyInKernel(from, to, size, onInterrupt).moveInto(isDone))
      return error;
  }
  if (!isDone)
    if (llvm::Error error = copyByHand(source.bytes(), to, onInterrupt))
      return error;
  if (::ftruncate(to, static_cast<off_t>(size)) != 0) // a hole at the end
    return cannotWrite(errno);
  const bool isSame =
      from < 0 || (::fstat(from, &status) == 0 && stampFrom(status) == source.stamp());
  return isSame && !source.isTorn() ? llvm::Error::success() : changedWhileRead();
}

} // namespace tcfix::io::posix
