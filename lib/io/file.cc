#include "io/file.h"

#include "base/error.h"
#include "base/paths.h"
#include "io/system.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Errc.h>
#include <llvm/Support/FormatVariadic.h>
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
    return fail(ErrorCode::NotFound, "no such file");
  return fail(ErrorCode::Unreadable, "cannot read the file: " + error.message());
}

llvm::Error checkKind(const fs::file_status& status) {
  if (fs::is_directory(status))
    return fail(ErrorCode::NotALibrary, "is a directory, not a library");
  if (!fs::is_regular_file(status))
    return fail(ErrorCode::NotALibrary, "is not a regular file");
  return llvm::Error::success();
}

llvm::Error tooLarge(const std::string& size, uint64_t largest) {
  return fail(ErrorCode::Unsupported,
              "is too large: " + size + "; the limit is " + sizeText(largest));
}

} // namespace

llvm::Expected<std::string> readWhole(llvm::StringRef path, uint64_t largest) {
  const bool isInput = path == "-";
  if (!isInput && fs::is_directory(path))
    return unreadable(std::make_error_code(std::errc::is_a_directory));
  llvm::Expected<fs::file_t> file =
      isInput ? llvm::Expected<fs::file_t>(fs::getStdinHandle()) : fs::openNativeFileForRead(path);
  if (!file)
    return unreadable(llvm::errorToErrorCode(file.takeError()));
  constexpr size_t kStep = 1 << 16;
  std::string text;
  llvm::Error failure = llvm::Error::success();
  while (!failure) {
    const size_t known = text.size();
    text.resize(known + kStep);
    llvm::Expected<size_t> count = fs::readNativeFile(*file, {text.data() + known, kStep});
    text.resize(known + (count ? *count : 0));
    if (!count)
      failure = unreadable(llvm::errorToErrorCode(count.takeError()));
    else if (*count == 0)
      break;
    else if (text.size() > largest)
      failure = tooLarge("more than " + sizeText(largest), largest);
  }
  if (!isInput)
    fs::closeFile(*file);
  if (failure)
    return failure;
  return text;
}

std::string sizeText(uint64_t size) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double number = static_cast<double>(size);
  size_t unit = 0;
  for (; number >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    number /= 1024;
  return llvm::formatv(unit == 0 || number >= 100 ? "{0:f0} {1}" : "{0:f1} {1}", number,
                       kUnits[unit]);
}

llvm::Error changedWhileRead() {
  return fail(ErrorCode::ChangedMeanwhile, "changed while it was being read",
              "wait until nothing writes to it, then run the same command again");
}

llvm::Expected<InputFile> InputFile::open(llvm::StringRef path, uint64_t largest) {
  llvm::SmallString<256> real;
  if (std::error_code error = fs::real_path(path, real))
    return unreadable(error);
  return openReal(real, largest);
}

llvm::Expected<InputFile> InputFile::openReal(llvm::StringRef path, uint64_t largest,
                                              bool isKnownFile) {
  InputFile file;
  file.realPath = path.str();
  // Check before opening: opening a device may have side effects.
  fs::file_status status;
  if (!isKnownFile) {
    if (std::error_code error = fs::status(file.realPath, status))
      return unreadable(error);
    if (llvm::Error error = checkKind(status))
      return error;
  }

  llvm::Expected<fs::file_t> handle = system::openForReading(file.realPath);
  if (!handle)
    return unreadable(llvm::errorToErrorCode(handle.takeError()));
  llvm::Error refused = file.take(*handle, largest);
  system::close(*handle);
  if (refused)
    return refused;
  return file;
}

llvm::Error InputFile::take(fs::file_t handle, uint64_t largest) {
  fs::file_status status;
  if (std::error_code error = fs::status(handle, status))
    return unreadable(error);
  if (llvm::Error error = checkKind(status)) // it may have been replaced
    return error;
  if (status.getSize() > largest)
    return tooLarge(sizeText(status.getSize()), largest);
  fileStamp = stampFrom(status);
  fileOwner = status.getUser();
  if (status.getSize() == 0)
    return llvm::Error::success();
  llvm::Expected<std::unique_ptr<Mapping>> mapped = Mapping::of(handle, status.getSize(), realPath);
  if (!mapped)
    return unreadable(llvm::errorToErrorCode(mapped.takeError()));
  mapping = std::move(*mapped);
  return llvm::Error::success();
}

Bytes InputFile::bytes() const {
  return mapping ? mapping->bytes() : Bytes(copy);
}

void InputFile::unmap() {
  copy = bytes().vec();
  wasTorn = isTorn();
  mapping.reset();
}

llvm::Error InputFile::checkWhole() const {
  if (isTorn())
    return changedWhileRead();
  llvm::Expected<FileStamp> now = stampOf(realPath);
  if (!now) {
    llvm::consumeError(now.takeError()); // removed, but not changed
    return llvm::Error::success();
  }
  const bool isSameFile = now->device == fileStamp.device && now->inode == fileStamp.inode;
  return isSameFile && *now != fileStamp ? changedWhileRead() : llvm::Error::success();
}

llvm::Error InputFile::checkWhole(llvm::Error other) const {
  llvm::Error changed = checkWhole();
  if (!changed)
    return other;
  llvm::consumeError(std::move(other));
  return changed;
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
