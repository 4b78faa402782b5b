#include "io/system.h"

#include "base/error.h"

#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <io.h>
#include <windows.h>

namespace tcfix::io::system {

namespace {

std::wstring wide(llvm::StringRef text) {
  std::wstring result;
  llvm::ConvertUTF8toWide(text, result);
  return result;
}

llvm::Error cannotWrite() {
  DWORD error = ::GetLastError();
  if (error == ERROR_DISK_FULL || error == ERROR_HANDLE_DISK_FULL)
    return fail(ErrorCode::CannotWrite, "the disk is full",
                "free some space and run the same command again; the file is as it was");
  std::error_code code(static_cast<int>(error), std::system_category());
  return fail(ErrorCode::CannotWrite, "the new file cannot be written: " + code.message());
}

HANDLE handleOf(int descriptor) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
}

volatile std::sig_atomic_t interruptFlag = 0;
BOOL WINAPI raiseInterruptFlag(DWORD) {
  interruptFlag = 1;
  return TRUE;
}

} // namespace

void TemporaryFile::close() {
  if (descriptor >= 0)
    ::_close(std::exchange(descriptor, -1));
}

llvm::Error TemporaryFile::copyFrom(const std::string&, Bytes content) {
  return write(0, content);
}

llvm::Error TemporaryFile::write(uint64_t offset, Bytes content) {
  constexpr size_t kMost = size_t(1) << 30;
  while (!content.empty()) {
    OVERLAPPED place = {};
    place.Offset = static_cast<DWORD>(offset);
    place.OffsetHigh = static_cast<DWORD>(offset >> 32);
    DWORD written = 0;
    if (!::WriteFile(handleOf(descriptor), content.data(),
                     static_cast<DWORD>(std::min(content.size(), kMost)), &written, &place))
      return cannotWrite();
    content = content.drop_front(written);
    offset += written;
  }
  return llvm::Error::success();
}

llvm::Error TemporaryFile::resize(uint64_t size) {
  FILE_END_OF_FILE_INFO info = {};
  info.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  if (!::SetFileInformationByHandle(handleOf(descriptor), FileEndOfFileInfo, &info, sizeof info))
    return cannotWrite();
  return llvm::Error::success();
}

llvm::Error TemporaryFile::keepAttributesOf(const std::string& source) {
  // A new file inherits its folder's access list, as the old one did. Hidden and system follow; a
  // read-only file could not be renamed over the old one.
  DWORD attributes = ::GetFileAttributesW(wide(source).c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES)
    ::SetFileAttributesW(wide(temporaryPath).c_str(), attributes & ~FILE_ATTRIBUTE_READONLY);
  return llvm::Error::success();
}

llvm::Error TemporaryFile::makeReadableLikeNewFiles() {
  return llvm::Error::success();
}

llvm::Error TemporaryFile::sync() {
  if (!::FlushFileBuffers(handleOf(descriptor)))
    return cannotWrite();
  close();
  return llvm::Error::success();
}

// NTFS journals renames by itself.
llvm::Error syncFolder(llvm::StringRef) {
  return llvm::Error::success();
}

// Handles have no such limit.
System thisSystem() {
  return System::Windows;
}

std::string calledPath() {
  return programPath(); // which follows no links here
}

std::optional<std::string> readLink(const std::string& path) {
  std::error_code error;
  std::filesystem::path text = std::filesystem::read_symlink(wide(path), error);
  if (error)
    return std::nullopt;
  std::u8string utf8 = text.u8string();
  return std::string(utf8.begin(), utf8.end());
}

// Marks of macOS and modes of POSIX, which no file has here.
bool isQuarantined(const std::string&) {
  return false;
}

bool isWritableByAll(const std::string&) {
  return false;
}

// There is no root.
std::optional<unsigned> otherOwner(const std::string&) {
  return std::nullopt;
}

void allowManyOpenFiles() {}

void watchForInterrupts() {
  ::SetConsoleCtrlHandler(raiseInterruptFlag, TRUE);
}

bool isInterrupted() {
  return interruptFlag != 0;
}

llvm::Expected<FolderLock> FolderLock::acquire(llvm::StringRef folder, Notify notify) {
  // A named mutex for each folder: the system removes it with its last holder.
  std::string key = llvm::sys::path::convert_to_slash(folder.lower());
  std::wstring name = L"Local\\tcfix-" + std::to_wstring(llvm::xxHash64(key));
  HANDLE mutex = ::CreateMutexW(nullptr, FALSE, name.c_str());
  if (!mutex)
    return fail(ErrorCode::Unreadable, "its folder cannot be locked");
  for (unsigned waited = 0;; ++waited) {
    DWORD result = ::WaitForSingleObject(mutex, 1000);
    if (result == WAIT_OBJECT_0 || result == WAIT_ABANDONED)
      return FolderLock(reinterpret_cast<intptr_t>(mutex));
    if (isInterrupted() || waited >= kLockSeconds)
      break;
    if (waited == 0)
      notify(waitingMessage(folder));
  }
  ::CloseHandle(mutex);
  if (isInterrupted())
    return fail(ErrorCode::Interrupted, "interrupted while waiting for another tcfix");
  return stillBusy();
}

FolderLock::~FolderLock() {
  if (handle == -1)
    return;
  ::ReleaseMutex(reinterpret_cast<HANDLE>(handle));
  ::CloseHandle(reinterpret_cast<HANDLE>(handle));
}

} // namespace tcfix::io::system
