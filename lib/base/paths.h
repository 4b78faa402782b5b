// Paths as strings: nothing here accesses the file system.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix {

/// The path of `name`, which may contain slashes, in a directory. All separators are the host's, so
/// that paths can be compared as strings.
std::string joined(llvm::StringRef directory, llvm::StringRef name);

/// The path with slashes instead of the host's separators.
std::string slashed(llvm::StringRef path);

/// True for the directory itself and everything below it; /opt/lib64 is not within /opt/lib.
bool isWithin(llvm::StringRef path, llvm::StringRef directory);

/// The relative path from one directory to another, with slashes; empty if they are the same. Both
/// must have the same root and contain no "..".
std::string relativePath(llvm::StringRef from, llvm::StringRef to);

} // namespace tcfix
