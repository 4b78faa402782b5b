// This machine's file system, environment and programs: questions, and the few changes that need no
// transaction. The target's disk, which may lie below a sysroot, is in target_disk.h.
//
// Paths are used as they are given; unless said otherwise symbolic links are followed.
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
/// True if the system denies even to say whether there is such a file.
bool isForbidden(const llvm::Twine& path);
/// False if one of them does not exist.
bool isSameFile(const llvm::Twine& path, const llvm::Twine& other);

/// Seen from the current directory; links and ".." stay.
std::string absolutePath(llvm::StringRef path);
/// Without links and ".."; nothing if there is no such file.
std::optional<std::string> realPath(const llvm::Twine& path);

/// The names in a directory, in no order; none if it cannot be read.
std::vector<std::string> namesIn(const llvm::Twine& directory);

std::optional<std::string> environmentVariable(llvm::StringRef name);
/// Between the directories in variables such as PATH.
extern const char kPathListSeparator;

bool isErrorTerminal();
bool outputHasColors();
bool errorHasColors();

/// A program on PATH.
std::optional<std::string> findProgram(llvm::StringRef name);
struct ProgramResult {
  int exitCode = 0;    ///< negative: it could not be started, or was killed
  std::string message; ///< why; empty when it ended by itself
};
/// Runs a program to its end, without input; its output is discarded.
ProgramResult runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments);

} // namespace tcfix::io
