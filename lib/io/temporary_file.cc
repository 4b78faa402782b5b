#include "io/temporary_file.h"

#include "base/error.h"

#include <llvm/Support/FileSystem.h>

#include <chrono>

namespace tcfix::io {

namespace fs = llvm::sys::fs;

namespace {

// Windows does not allow the file of a loaded DLL to be replaced.
std::string hintForReplacing(std::error_code error) {
  if (system::thisSystem() != system::System::Windows || error != std::errc::permission_denied)
    return {};
  return "a running program uses the file: close Python first, then run the same command again";
}

} // namespace

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : directory(other.directory), name(std::exchange(other.name, {})),
      descriptor(std::exchange(other.descriptor, -1)) {}

TemporaryFile::~TemporaryFile() {
  close();
  if (!name.empty())
    (void)directory.remove(name);
}

llvm::Error TemporaryFile::setModified(int64_t modifiedNs) {
  llvm::sys::TimePoint<> time{std::chrono::nanoseconds(modifiedNs)};
  if (std::error_code error = fs::setLastAccessAndModificationTime(descriptor, time, time))
    return fail(ErrorCode::CannotWrite, "cannot set the file's time: " + error.message());
  return llvm::Error::success();
}

llvm::Error TemporaryFile::take(llvm::StringRef sibling) {
  close();
  if (std::error_code error = directory.rename(sibling, name))
    return fail(ErrorCode::CannotWrite, "cannot remove the file: " + error.message());
  return llvm::Error::success();
}

llvm::Error TemporaryFile::renameTo(llvm::StringRef sibling) {
  close();
  if (std::error_code error = directory.rename(name, sibling))
    return fail(ErrorCode::CannotWrite, "cannot replace the file: " + error.message(),
                hintForReplacing(error));
  name.clear();
  return llvm::Error::success();
}

} // namespace tcfix::io
