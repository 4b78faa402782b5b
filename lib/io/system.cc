#include "io/system.h"

#include "base/error.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

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

llvm::Expected<TemporaryFile> TemporaryFile::createBeside(llvm::StringRef target) {
  llvm::StringRef folder = llvm::sys::path::parent_path(target);
  llvm::SmallString<256> model(folder);
  // A fixed short name: the target's own may already be as long as the file system allows.
  llvm::sys::path::append(model, llvm::Twine(kPrefix) + "%%%%%%%%" + kSuffix);
  int descriptor = -1;
  llvm::SmallString<256> path;
  if (std::error_code error = fs::createUniqueFile(model, descriptor, path, fs::OF_None,
                                                   fs::owner_read | fs::owner_write))
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
