#include "io/temporary_file.h"

#include "base/error.h"
#include "io/windows.h"

#include <llvm/Support/FileSystem.h>

#include <algorithm>
#include <filesystem>
#include <io.h>

namespace tcfix::io {

namespace fs = llvm::sys::fs;
using windows::wide;
using windows::widePath;

namespace {

llvm::Error cannotWrite() {
  DWORD error = ::GetLastError();
  if (error == ERROR_DISK_FULL || error == ERROR_HANDLE_DISK_FULL)
    return fail(ErrorCode::CannotWrite, "the disk is full",
                "free some space and run the same command again; the file was not changed");
  std::error_code code(static_cast<int>(error), std::system_category());
  return fail(ErrorCode::CannotWrite, "cannot write the new file: " + code.message());
}

HANDLE handleOf(int descriptor) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
}

llvm::Error linkMade(const std::string& path, std::error_code error) {
  if (error)
    return fail(ErrorCode::CannotWrite, "cannot create a link at " + path + ": " + error.message());
  return llvm::Error::success();
}

// A new file inherits its directory's access list, as the old one did. Copies the hidden and system
// attributes; a read-only file could not be renamed over the old one.
void copyAttributes(const std::string& from, const std::string& to) {
  DWORD attributes = ::GetFileAttributesW(widePath(from).c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES)
    ::SetFileAttributesW(widePath(to).c_str(), attributes & ~FILE_ATTRIBUTE_READONLY);
}

} // namespace

void TemporaryFile::close() {
  if (descriptor >= 0)
    ::_close(std::exchange(descriptor, -1));
}

llvm::Expected<TemporaryFile> TemporaryFile::createIn(const Directory& directory) {
  constexpr int kMostTries = 128; // as llvm::sys::fs::createUniqueFile has it
  std::string name;
  int descriptor = -1;
  std::error_code error = std::make_error_code(std::errc::file_exists);
  for (int tries = 0; tries < kMostTries && error == std::errc::file_exists; ++tries) {
    name = system::newTemporaryName();
    error = fs::openFileForReadWrite(directory.pathOf(name), descriptor, fs::CD_CreateNew,
                                     fs::OF_None, fs::owner_read | fs::owner_write);
  }
  if (error)
    return fail(
        ErrorCode::CannotWrite, "cannot create a file in its directory: " + error.message(),
        "tcfix never writes into the old file; it needs write permission for the directory");
  return TemporaryFile(directory, std::move(name), descriptor);
}

llvm::Error TemporaryFile::reopen() {
  close();
  if (std::error_code error = fs::openFileForRead(path(), descriptor))
    return fail(ErrorCode::CannotWrite, "cannot open the new file: " + error.message());
  return llvm::Error::success();
}

llvm::Error TemporaryFile::copyFrom(const InputFile& source, OnInterrupt onInterrupt) {
  return write(0, source.bytes(), onInterrupt);
}

llvm::Error TemporaryFile::write(uint64_t offset, Bytes content, OnInterrupt onInterrupt) {
  constexpr size_t kMost = size_t(16) << 20; // takes a moment on any disk
  while (!content.empty()) {
    if (onInterrupt == OnInterrupt::Stop)
      if (llvm::Error error = system::refuseIfInterrupted())
        return error;
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

llvm::Error TemporaryFile::checkReadableByOwner(const InputFile&) const {
  return llvm::Error::success();
}

llvm::Error TemporaryFile::keepAttributesOf(const InputFile& source) {
  copyAttributes(source.path(), path());
  return llvm::Error::success();
}

llvm::Error TemporaryFile::keepAttributesOf(llvm::StringRef sibling) {
  copyAttributes(directory.pathOf(sibling), path());
  return llvm::Error::success();
}

llvm::Error TemporaryFile::makeReadableLikeNewFiles() {
  return llvm::Error::success();
}

llvm::Error TemporaryFile::becomeLink(const std::string& text) {
  close();
  std::error_code error = directory.remove(name);
  if (!error)
    std::filesystem::create_symlink(wide(text), widePath(path()), error);
  return linkMade(path(), error);
}

llvm::Error TemporaryFile::becomeTwinOf(const Place& file) {
  close();
  std::error_code error = directory.remove(name);
  if (!error)
    std::filesystem::create_hard_link(widePath(file.directory.pathOf(file.name)), widePath(path()),
                                      error);
  return linkMade(path(), error);
}

llvm::Error TemporaryFile::sync() {
  if (!::FlushFileBuffers(handleOf(descriptor)))
    return cannotWrite();
  close();
  return llvm::Error::success();
}

} // namespace tcfix::io
