// This machine's file system, environment and programs: queries, and the few changes that need no
// transaction. The target's disk, which may be below a sysroot, is in target_disk.h.
//
// Paths are used as given. Symbolic links are followed unless a comment says otherwise.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/Twine.h>

#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace tcfix::io {

bool exists(const llvm::Twine& path);
bool isFile(const llvm::Twine& path);
bool isDirectory(const llvm::Twine& path);
bool isLink(const llvm::Twine& path);
bool isExecutable(const llvm::Twine& path);
/// True if the system denies access, so that it is unknown whether the file exists.
bool isForbidden(const llvm::Twine& path);
/// False if either path does not exist.
bool isSameFile(const llvm::Twine& path, const llvm::Twine& other);

/// Relative to the current directory; keeps links and "..".
std::string absolutePath(llvm::StringRef path);
/// Without links and ".."; nothing if the file does not exist.
std::optional<std::string> realPath(const llvm::Twine& path);

/// The names in a directory, unordered; empty if it cannot be read.
std::vector<std::string> namesIn(const llvm::Twine& directory);

std::optional<std::string> environmentVariable(llvm::StringRef name);
/// Separates the directories in variables such as PATH.
extern const char kPathListSeparator;

bool isErrorTerminal();
bool outputHasColors();
bool errorHasColors();

/// A program on PATH.
std::optional<std::string> findProgram(llvm::StringRef name);
struct ProgramResult {
  int exitCode = 0;    ///< negative: failed to start, or was killed
  std::string message; ///< why; empty if it exited normally
};
/// Runs a program to completion, without input; its output is discarded.
ProgramResult runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments);

} // namespace tcfix::io
