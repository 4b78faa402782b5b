// What the Windows sources of this module share; nobody else includes it.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ConvertUTF.h>

#include <string>
#include <windows.h>

namespace tcfix::io::windows {

inline std::wstring wide(llvm::StringRef text) {
  std::wstring result;
  llvm::ConvertUTF8toWide(text, result);
  return result;
}

} // namespace tcfix::io::windows
