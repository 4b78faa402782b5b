// Shared by the Windows sources of this module only.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/Windows/WindowsSupport.h>

#include <string>

namespace tcfix::io::windows {

inline std::wstring wide(llvm::StringRef text) {
  std::wstring result;
  llvm::ConvertUTF8toWide(text, result);
  return result;
}

/// A path of more than 260 characters becomes absolute and gets the prefix that lifts the limit:
/// the manifest does it only where the user has allowed it for the whole system.
inline std::wstring widePath(llvm::StringRef path) {
  llvm::SmallVector<wchar_t, 0> result;
  if (llvm::sys::windows::widenPath(path, result))
    return wide(path);
  return {result.begin(), result.end()};
}

} // namespace tcfix::io::windows
