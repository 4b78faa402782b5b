#include "io/system.h"

#include "base/error.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Process.h>

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

// A short fixed form: the name of the target may already be as long as the file system allows.
std::string newTemporaryName() {
  return llvm::formatv("{0}{1:x-8}{2}", kPrefix, llvm::sys::Process::GetRandomNumber(), kSuffix);
}

bool isTemporaryName(llvm::StringRef name) {
  return name.size() == kPrefix.size() + 8 + kSuffix.size() && name.starts_with(kPrefix) &&
         name.ends_with(kSuffix);
}

std::string programPath() {
  return fs::getMainExecutable(nullptr, nullptr);
}

llvm::Error refuseIfInterrupted() {
  if (isInterrupted())
    return fail(ErrorCode::Interrupted, "not changed: interrupted");
  return llvm::Error::success();
}

std::string waitingMessage(llvm::StringRef folder) {
  return ("another tcfix is working in " + folder + "; waiting up to " + llvm::Twine(kLockSeconds) +
          " seconds")
      .str();
}

llvm::Error stillBusy() {
  return fail(ErrorCode::Busy, "another tcfix is working in this directory",
              "wait until it has finished, then run the same command again");
}

} // namespace tcfix::io::system
