#include "io/system.h"

#include "io/windows.h"

#include <csignal>
#include <filesystem>

namespace tcfix::io::system {

namespace {

volatile std::sig_atomic_t interruptFlag = 0;
BOOL WINAPI raiseInterruptFlag(DWORD) {
  interruptFlag = 1;
  return TRUE;
}

} // namespace

System thisSystem() {
  return System::Windows;
}

std::string calledPath() {
  return programPath(); // does not follow links on Windows
}

llvm::Expected<llvm::sys::fs::file_t> openForReading(const std::string& path) {
  return llvm::sys::fs::openNativeFileForRead(path);
}

void close(llvm::sys::fs::file_t file) {
  llvm::sys::fs::closeFile(file);
}

std::optional<std::string> readLink(const std::string& path) {
  std::error_code error;
  std::filesystem::path text = std::filesystem::read_symlink(windows::widePath(path), error);
  if (error)
    return std::nullopt;
  std::u8string utf8 = text.u8string();
  return std::string(utf8.begin(), utf8.end());
}

// Quarantine attributes and POSIX modes do not exist on Windows.
bool isQuarantined(const std::string&) {
  return false;
}

bool isWritableByAll(const std::string&) {
  return false;
}

// Windows has no root user.
std::optional<unsigned> otherOwner(const std::string&) {
  return std::nullopt;
}

// Handles have no such limit on Windows.
void allowManyOpenFiles() {}

void ignoreSizeLimits() {}

void watchForInterrupts() {
  ::SetConsoleCtrlHandler(raiseInterruptFlag, TRUE);
}

bool isInterrupted() {
  return interruptFlag != 0;
}

} // namespace tcfix::io::system
