#include "io/host.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Errc.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/Program.h>

namespace tcfix::io {

namespace sys = llvm::sys;

const char kPathListSeparator = sys::EnvPathSeparator;

bool exists(const llvm::Twine& path) {
  return sys::fs::exists(path);
}

bool isFile(const llvm::Twine& path) {
  return sys::fs::is_regular_file(path);
}

bool isDirectory(const llvm::Twine& path) {
  return sys::fs::is_directory(path);
}

bool isLink(const llvm::Twine& path) {
  return sys::fs::is_symlink_file(path);
}

bool isExecutable(const llvm::Twine& path) {
  return sys::fs::can_execute(path);
}

bool isForbidden(const llvm::Twine& path) {
  sys::fs::file_status status;
  return sys::fs::status(path, status) == llvm::errc::permission_denied;
}

bool isSameFile(const llvm::Twine& path, const llvm::Twine& other) {
  return sys::fs::equivalent(path, other);
}

std::string absolutePath(llvm::StringRef path) {
  llvm::SmallString<256> absolute(path);
  sys::fs::make_absolute(absolute);
  return absolute.str().str();
}

std::optional<std::string> realPath(const llvm::Twine& path) {
  llvm::SmallString<256> real;
  if (sys::fs::real_path(path, real))
    return std::nullopt;
  return real.str().str();
}

std::vector<std::string> namesIn(const llvm::Twine& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (sys::fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(sys::path::filename(entry->path()).str());
  return names;
}

std::optional<std::string> environmentVariable(llvm::StringRef name) {
  return sys::Process::GetEnv(name);
}

bool isErrorTerminal() {
  return sys::Process::StandardErrIsDisplayed();
}

bool outputHasColors() {
  return sys::Process::StandardOutHasColors();
}

bool errorHasColors() {
  return sys::Process::StandardErrHasColors();
}

std::optional<std::string> findProgram(llvm::StringRef name) {
  llvm::ErrorOr<std::string> found = sys::findProgramByName(name);
  return found ? std::optional(*found) : std::nullopt;
}

ProgramResult runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments) {
  std::vector<llvm::StringRef> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::optional<llvm::StringRef> silent[] = {"", "", ""}; // an empty name is the null device
  ProgramResult result;
  result.exitCode =
      sys::ExecuteAndWait(program, words, std::nullopt, silent, 0, 0, &result.message);
  return result;
}

} // namespace tcfix::io
