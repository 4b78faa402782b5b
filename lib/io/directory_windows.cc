#include "io/directory.h"

#include "base/error.h"
#include "io/host.h"
#include "io/system.h"
#include "io/windows.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/xxhash.h>

namespace tcfix::io {

namespace fs = llvm::sys::fs;

struct Directory::Handle {
  std::string path;
  Identity identity;
};

llvm::Expected<Directory> Directory::open(llvm::StringRef path) {
  fs::file_status status;
  if (fs::is_symlink_file(path))
    return at(path, fail(ErrorCode::Unsupported, "is a link or a file, not a directory"));
  if (std::error_code error = fs::status(path, status))
    return at(path,
              error == std::errc::no_such_file_or_directory
                  ? fail(ErrorCode::NotFound, "no such directory")
                  : fail(ErrorCode::Unreadable, "cannot open the directory: " + error.message()));
  if (!fs::is_directory(status))
    return at(path, fail(ErrorCode::Unsupported, "is a link or a file, not a directory"));
  return Directory(std::make_shared<Handle>(
      Handle{path.str(), {status.getUniqueID().getDevice(), status.getUniqueID().getFile()}}));
}

llvm::Expected<Directory> Directory::enter(llvm::StringRef name) const {
  return open(pathOf(name));
}

std::optional<Directory> Directory::parent() const {
  return llvm::expectedToOptional(open(llvm::sys::path::parent_path(path())));
}

llvm::Expected<Directory> Directory::make(llvm::StringRef name) const {
  if (std::error_code error = fs::create_directory(pathOf(name)))
    return at(pathOf(name),
              fail(ErrorCode::CannotWrite, "cannot create the directory: " + error.message()));
  return enter(name);
}

const std::string& Directory::path() const {
  return handle->path;
}

Directory::Identity Directory::identity() const {
  return handle->identity;
}

llvm::Expected<FileStamp> Directory::stampOf(llvm::StringRef name) const {
  return io::stampOf(pathOf(name));
}

std::optional<std::string> Directory::readLink(llvm::StringRef name) const {
  return system::readLink(pathOf(name));
}

std::vector<std::string> Directory::names() const {
  return namesIn(path());
}

// A virus scanner, or a program that is ending, uses the old file only for a moment.
std::error_code Directory::rename(llvm::StringRef from, llvm::StringRef to) const {
  constexpr int kTries = 40;
  std::error_code error;
  for (int tries = 0; tries < kTries; ++tries) {
    error = fs::rename(pathOf(from), pathOf(to));
    if (error != std::errc::permission_denied || system::isInterrupted())
      break;
    ::Sleep(50);
  }
  return error;
}

std::error_code Directory::remove(llvm::StringRef name) const {
  return fs::remove(pathOf(name));
}

void Directory::removeIfEmpty(llvm::StringRef name) const {
  if (!isLink(pathOf(name)) && isDirectory(pathOf(name)))
    (void)fs::remove(pathOf(name)); // fails if it is not empty
}

bool Directory::trusts(const InputFile&) const {
  return true;
}

// NTFS journals renames by itself.
llvm::Error Directory::sync() const {
  return llvm::Error::success();
}

llvm::Expected<DirectoryLock> DirectoryLock::acquire(const Directory& directory, Notify notify) {
  // A named mutex for each directory, which the system removes with its last handle.
  std::string key = llvm::sys::path::convert_to_slash(llvm::StringRef(directory.path()).lower());
  std::wstring name = L"Local\\tcfix-" + std::to_wstring(llvm::xxHash64(key));
  HANDLE mutex = ::CreateMutexW(nullptr, FALSE, name.c_str());
  if (!mutex)
    return fail(ErrorCode::Unreadable, "cannot lock its directory");
  for (unsigned waited = 0;; ++waited) {
    DWORD result = ::WaitForSingleObject(mutex, 1000);
    if (result == WAIT_OBJECT_0 || result == WAIT_ABANDONED)
      return DirectoryLock(reinterpret_cast<intptr_t>(mutex));
    if (system::isInterrupted() || waited >= system::kLockSeconds)
      break;
    if (waited == 0)
      notify(system::waitingMessage(directory.path()));
  }
  ::CloseHandle(mutex);
  if (system::isInterrupted())
    return fail(ErrorCode::Interrupted, "interrupted while waiting for another tcfix");
  return system::stillBusy();
}

DirectoryLock::~DirectoryLock() {
  if (handle == -1)
    return;
  ::ReleaseMutex(reinterpret_cast<HANDLE>(handle));
  ::CloseHandle(reinterpret_cast<HANDLE>(handle));
}

} // namespace tcfix::io
