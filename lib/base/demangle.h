// Symbols as their authors wrote them.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Demangle/Demangle.h>

#include <string>

namespace tcfix {

inline std::string demangled(llvm::StringRef symbol) {
  // Mach-O puts an underscore before every name, also before mangled ones.
  if (symbol.starts_with("__Z"))
    symbol = symbol.drop_front();
  return llvm::demangle(symbol.str());
}

} // namespace tcfix
