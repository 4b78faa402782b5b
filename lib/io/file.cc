#include "io/file.h"

#include "base/error.h"
#include "base/paths.h"
#include "io/system.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Errc.h>
#include <llvm/Support/Path.h>

namespace tcfix::io {

namespace fs = llvm::sys::fs;

namespace {

FileStamp stampFrom(const fs::file_status& status) {
  FileStamp stamp;
  stamp.device = status.getUniqueID().getDevice();
  stamp.inode = status.getUniqueID().getFile();
  stamp.size = status.getSize();
  stamp.modifiedNs = status.getLastModificationTime().time_since_epoch().count();
  return stamp;
}

llvm::Error unreadable(std::error_code error) {
  if (error == llvm::errc::no_such_file_or_directory || error == llvm::errc::not_a_directory)
    return fail(ErrorCode::NotFound, "there is no such file");
  return fail(ErrorCode::Unreadable, "cannot be read: " + error.message());
}

llvm::Error checkKind(const fs::file_status& status) {
  if (fs::is_directory(status))
    return fail(ErrorCode::NotALibrary, "is a folder, not a library");
  if (!fs::is_regular_file(status))
    return fail(ErrorCode::NotALibrary, "is not a regular file");
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readWhole(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> content =
      llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!content)
    return unreadable(content.getError());
  return std::move(*content);
}

llvm::Expected<InputFile> InputFile::open(llvm::StringRef path) {
  llvm::SmallString<256> real;
  if (std::error_code error = fs::real_path(path, real))
    return unreadable(error);
  return openReal(real);
}

llvm::Expected<InputFile> InputFile::openReal(llvm::StringRef path) {
  InputFile file;
  file.realPath = path.str();
  // Looking before opening: devices may act on it.
  fs::file_status status;
  if (std::error_code error = fs::status(file.realPath, status))
    return unreadable(error);
  if (llvm::Error error = checkKind(status))
    return error;

  llvm::Expected<fs::file_t> handle = system::openForReading(file.realPath);
  if (!handle)
    return unreadable(llvm::errorToErrorCode(handle.takeError()));
  std::error_code error = fs::status(*handle, status);
  llvm::Error kind = error ? llvm::Error::success() : checkKind(status); // it may be another by now
  if (kind) {
    fs::closeFile(*handle);
    return kind;
  }
  file.fileStamp = stampFrom(status);
  file.fileOwner = status.getUser();
  if (!error && status.getSize() > 0)
    file.region = std::make_unique<fs::mapped_file_region>(
        *handle, fs::mapped_file_region::readonly, status.getSize(), 0, error);
  fs::closeFile(*handle);
  if (error)
    return unreadable(error);
  return file;
}

Bytes InputFile::bytes() const {
  if (!region)
    return copy;
  return {reinterpret_cast<const uint8_t*>(region->const_data()), region->size()};
}

void InputFile::unmap() {
  copy = bytes().vec();
  region.reset();
}

std::string findIgnoringCase(llvm::StringRef folder, llvm::StringRef name) {
  if (std::string path = joined(folder, name); fs::exists(path))
    return path;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (llvm::sys::path::filename(entry->path()).equals_insensitive(name))
      return entry->path();
  return {};
}

llvm::Expected<FileStamp> stampOf(llvm::StringRef path) {
  fs::file_status status;
  if (std::error_code error = fs::status(path, status))
    return unreadable(error);
  return stampFrom(status);
}

} // namespace tcfix::io
