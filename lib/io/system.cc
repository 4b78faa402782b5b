#include "io/system.h"

#include "base/error.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <filesystem>

namespace tcfix::io::system {

namespace fs = llvm::sys::fs;

namespace {
constexpr llvm::StringLiteral kPrefix = ".tcfix-";
constexpr llvm::StringLiteral kSuffix = ".tmp";
} // namespace

llvm::StringRef thisArchitecture() {
#if defined(__x86_64__) || defined(_M_X64)
  return "x86_64";
#elif defined(__aarch64__) || defined(_M_ARM64)
  return "aarch64";
#else
  return {};
#endif
}

void removeLeftovers(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error, /*follow_symlinks=*/false), end;
       !error && entry != end; entry.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    if (name.size() == kPrefix.size() + 8 + kSuffix.size() && name.starts_with(kPrefix) &&
        name.ends_with(kSuffix))
      fs::remove(entry->path());
  }
}

std::string programPath() {
  return fs::getMainExecutable(nullptr, nullptr);
}

llvm::Expected<TemporaryFile> TemporaryFile::createBeside(llvm::StringRef target) {
  // A fixed short name: the target's own may already be as long as the file system allows. Only the
  // name is a model: a % in the folder's own path stands for itself.
  constexpr int kMostTries = 128; // as createUniqueFile has it
  llvm::SmallString<256> path;
  int descriptor = -1;
  std::error_code error = std::make_error_code(std::errc::file_exists);
  for (int tries = 0; tries < kMostTries && error == std::errc::file_exists; ++tries) {
    llvm::SmallString<32> name;
    fs::createUniquePath(llvm::Twine(kPrefix) + "%%%%%%%%" + kSuffix, name, /*MakeAbsolute=*/false);
    path = llvm::sys::path::parent_path(target);
    llvm::sys::path::append(path, name);
    error = fs::openFileForReadWrite(path, descriptor, fs::CD_CreateNew, fs::OF_None,
                                     fs::owner_read | fs::owner_write);
  }
  if (error)
    return fail(ErrorCode::CannotWrite,
                "a new file cannot be made in its folder: " + error.message(),
                "tcfix never writes into the old file; it needs write permission in the folder");
  return TemporaryFile(path.str().str(), descriptor);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : temporaryPath(std::exchange(other.temporaryPath, {})),
      descriptor(std::exchange(other.descriptor, -1)) {}

TemporaryFile::~TemporaryFile() {
  close();
  if (!temporaryPath.empty())
    fs::remove(temporaryPath);
}

llvm::Error TemporaryFile::reopen() {
  close();
  if (std::error_code error =
          fs::openFileForRead(temporaryPath, descriptor)) // its mode may forbid more
    return fail(ErrorCode::CannotWrite, "the new file cannot be opened: " + error.message());
  return llvm::Error::success();
}

llvm::Error TemporaryFile::setModified(int64_t modifiedNs) {
  llvm::sys::TimePoint<> time{std::chrono::nanoseconds(modifiedNs)};
  if (std::error_code error = fs::setLastAccessAndModificationTime(descriptor, time, time))
    return fail(ErrorCode::CannotWrite, "the file's time cannot be set: " + error.message());
  return llvm::Error::success();
}

namespace {

llvm::Error placeLink(const std::string& path, std::error_code error) {
  if (error)
    return fail(ErrorCode::CannotWrite,
                "a link cannot be made at " + path + ": " + error.message());
  return llvm::Error::success();
}

std::filesystem::path pathOf(const std::string& utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}

} // namespace

llvm::Error TemporaryFile::becomeLink(const std::string& text) {
  close();
  std::error_code error = fs::remove(temporaryPath);
  if (!error)
    std::filesystem::create_symlink(pathOf(text), pathOf(temporaryPath), error);
  return placeLink(temporaryPath, error);
}

llvm::Error TemporaryFile::becomeTwinOf(const std::string& file) {
  close();
  std::error_code error = fs::remove(temporaryPath);
  if (!error)
    std::filesystem::create_hard_link(pathOf(file), pathOf(temporaryPath), error);
  return placeLink(temporaryPath, error);
}

llvm::Error TemporaryFile::take(const std::string& path) {
  close();
  if (std::error_code error = fs::rename(path, temporaryPath))
    return fail(ErrorCode::CannotWrite, "cannot be removed: " + error.message());
  return llvm::Error::success();
}

llvm::Error removeFile(const std::string& path) {
  if (std::error_code error = fs::remove(path))
    return fail(ErrorCode::CannotWrite, "cannot be removed: " + error.message());
  return llvm::Error::success();
}

llvm::Error TemporaryFile::renameTo(llvm::StringRef target) {
  close();
  if (std::error_code error = fs::rename(temporaryPath, target))
    return fail(ErrorCode::CannotWrite, "the new file cannot take its place: " + error.message());
  temporaryPath.clear();
  return llvm::Error::success();
}

std::string waitingMessage(llvm::StringRef folder) {
  return ("another tcfix is working in " + folder + "; waiting up to " + llvm::Twine(kLockSeconds) +
          " seconds")
      .str();
}

llvm::Error stillBusy() {
  return fail(ErrorCode::Busy, "another tcfix is working in this folder",
              "wait until it is done, then run the same command again");
}

FolderLock::FolderLock(FolderLock&& other) noexcept : handle(std::exchange(other.handle, -1)) {}

} // namespace tcfix::io::system
