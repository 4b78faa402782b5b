// Files and directories: Darwin's flags, layouts and special values, from <sys/fcntl.h>, <sys/stat.h>,
// <sys/dirent.h> and <sys/mount.h>.
#define _GNU_SOURCE
#include "macho_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

struct DarwinStat {
  int32_t device;
  uint16_t mode, links;
  uint64_t inode;
  uint32_t user, group;
  int32_t specialDevice;
  struct timespec accessed, modified, changed, born;
  int64_t size, blocks;
  int32_t blockSize;
  uint32_t flags, generation;
  int32_t spare;
  int64_t spares[2];
};
_Static_assert(sizeof(struct DarwinStat) == 144, "as <sys/stat.h>");

struct DarwinEntry {
  uint64_t inode, seekOffset;
  uint16_t recordLength, nameLength;
  uint8_t type;
  char name[1024];
};

struct DarwinStatvfs {
  uint64_t blockSize, fragmentSize;
  uint32_t blocks, freeBlocks, availableBlocks, files, freeFiles, availableFiles;
  uint64_t id, flags, maxName;
};

static int openFlags(int darwin) {
  static const struct {
    int darwin, here;
  } flags[] = {{0x4, O_NONBLOCK},  {0x8, O_APPEND},   {0x100, O_NOFOLLOW},      {0x200, O_CREAT},       {0x400, O_TRUNC},
               {0x800, O_EXCL},    {0x20000, O_NOCTTY}, {0x100000, O_DIRECTORY}, {0x1000000, O_CLOEXEC}};
  int here = darwin & 3; // read, write or both
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    if (darwin & flags[i].darwin)
      here |= flags[i].here;
  return here;
}

static int directoryHere(int darwin) {
  return darwin == -2 ? AT_FDCWD : darwin;
}

/// AT_SYMLINK_NOFOLLOW, AT_SYMLINK_FOLLOW and AT_REMOVEDIR.
static int atFlags(int darwin) {
  return (darwin & 0x20 ? AT_SYMLINK_NOFOLLOW : 0) | (darwin & 0x40 ? AT_SYMLINK_FOLLOW : 0) |
         (darwin & 0x80 ? AT_REMOVEDIR : 0);
}

// On this architecture variadic functions pass their arguments like others.
static int openFile(const char* path, int flags, mode_t mode) { return open(path, openFlags(flags), mode); }
static int openAt(int directory, const char* path, int flags, mode_t mode) {
  return openat(directoryHere(directory), path, openFlags(flags), mode);
}

static int control(int file, int command, long argument) {
  enum { kGetPath = 50, kFullSync = 51, kDuplicateCloexec = 67 };
  switch (command) {
  case F_DUPFD:
  case F_GETFD:
  case F_SETFD:
  case F_GETFL:
    return fcntl(file, command, argument);
  case F_SETFL:
    return fcntl(file, command, openFlags((int)argument));
  case kDuplicateCloexec:
    return fcntl(file, F_DUPFD_CLOEXEC, argument);
  case kFullSync:
    return fsync(file);
  case kGetPath: {
    char link[64], *path = (char*)argument;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, 1023);
    if (length < 0)
      return -1;
    path[length] = '\0';
    return 0;
  }
  default:
    errno = EINVAL;
    return -1;
  }
}

static int giveStat(int result, const struct stat* from, struct DarwinStat* to) {
  if (result == 0)
    *to = (struct DarwinStat){(int32_t)from->st_dev, (uint16_t)from->st_mode, (uint16_t)from->st_nlink, from->st_ino,
                              from->st_uid, from->st_gid, (int32_t)from->st_rdev, from->st_atim, from->st_mtim,
                              from->st_ctim, {0}, from->st_size, from->st_blocks, (int32_t)from->st_blksize, 0, 0, 0,
                              {0}};
  return result;
}
static int statPath(const char* path, struct DarwinStat* to) {
  struct stat status;
  return giveStat(stat(path, &status), &status, to);
}
static int statLink(const char* path, struct DarwinStat* to) {
  struct stat status;
  return giveStat(lstat(path, &status), &status, to);
}
static int statFile(int file, struct DarwinStat* to) {
  struct stat status;
  return giveStat(fstat(file, &status), &status, to);
}
static int statAt(int directory, const char* path, struct DarwinStat* to, int flags) {
  struct stat status;
  return giveStat(fstatat(directoryHere(directory), path, &status, atFlags(flags)), &status, to);
}

static int statDisk(int file, struct DarwinStatvfs* to) {
  struct statvfs disk;
  if (fstatvfs(file, &disk) != 0)
    return -1;
  *to = (struct DarwinStatvfs){disk.f_bsize, disk.f_frsize, (uint32_t)disk.f_blocks, (uint32_t)disk.f_bfree,
                               (uint32_t)disk.f_bavail, (uint32_t)disk.f_files, (uint32_t)disk.f_ffree,
                               (uint32_t)disk.f_favail, disk.f_fsid, disk.f_flag, disk.f_namemax};
  return 0;
}

/// One entry for each thread; on Darwin there is one for each directory.
static struct DarwinEntry* readEntry(DIR* directory) {
  static _Thread_local struct DarwinEntry entry;
  const struct dirent* read = readdir(directory);
  if (!read)
    return NULL;
  size_t length = strlen(read->d_name);
  entry = (struct DarwinEntry){read->d_ino, 0, sizeof entry, (uint16_t)length, read->d_type, ""};
  memcpy(entry.name, read->d_name, length + 1);
  return &entry;
}

static int unlinkAt(int directory, const char* path, int flags) {
  return unlinkat(directoryHere(directory), path, atFlags(flags));
}
static int renameAt(int from, const char* path, int to, const char* other) {
  return renameat(directoryHere(from), path, directoryHere(to), other);
}
static int linkAt(int from, const char* path, int to, const char* other, int flags) {
  return linkat(directoryHere(from), path, directoryHere(to), other, atFlags(flags));
}
static int symlinkAt(const char* text, int directory, const char* path) {
  return symlinkat(text, directoryHere(directory), path);
}
static ssize_t readlinkAt(int directory, const char* path, char* buffer, size_t size) {
  return readlinkat(directoryHere(directory), path, buffer, size);
}
static int makeDirectoryAt(int directory, const char* path, mode_t mode) {
  return mkdirat(directoryHere(directory), path, mode);
}

static void* map(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  const int anonymous = 0x1000;
  int here = (flags & 0x1f) | (flags & anonymous ? MAP_ANONYMOUS : 0); // shared, private and fixed are equal
  return mmap(address, size, protection, here, file, offset);
}

// Attributes and clones: the files of tests have no attributes, and a file system may support neither.
static ssize_t noAttribute(void) {
  errno = ENODATA;
  return -1;
}
static int noClone(void) {
  errno = ENOTSUP;
  return -1;
}
static int copyNothing(void) { return 0; }

const struct Shim kFileShims[] = {
    {"_open", openFile},
    {"_openat", openAt},
    {"_fcntl", control},
    {"_stat$INODE64", statPath},
    {"_lstat$INODE64", statLink},
    {"_fstat$INODE64", statFile},
    {"_fstatat$INODE64", statAt},
    {"_fstatvfs", statDisk},
    {"_opendir$INODE64", opendir},
    {"_fdopendir$INODE64", fdopendir},
    {"_readdir$INODE64", readEntry},
    {"_unlinkat", unlinkAt},
    {"_renameat", renameAt},
    {"_linkat", linkAt},
    {"_symlinkat", symlinkAt},
    {"_readlinkat", readlinkAt},
    {"_mkdirat", makeDirectoryAt},
    {"_mmap", map},
    {"_getxattr", noAttribute},
    {"_fclonefileat", noClone},
    {"_fcopyfile", copyNothing},
    {"_realpath$DARWIN_EXTSN", realpath},
    {0},
};
