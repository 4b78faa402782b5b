// Paths as strings: nothing here looks at a disk.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix {

/// The path of `name`, which may contain slashes, in a directory; all separators are this
/// machine's, so that paths can be compared as strings.
std::string joined(llvm::StringRef directory, llvm::StringRef name);

/// True for the directory itself and for what lies below it; /opt/lib64 is not within /opt/lib.
bool isWithin(llvm::StringRef path, llvm::StringRef directory);

/// The path that leads from a directory to `to`, with slashes; empty if they are the same. Both
/// must start at the same place and contain no "..".
std::string relativePath(llvm::StringRef from, llvm::StringRef to);

} // namespace tcfix
