// Demangled symbol names.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Demangle/Demangle.h>

#include <string>

namespace tcfix {

inline std::string demangled(llvm::StringRef symbol) {
  // Mach-O prefixes every name with an underscore, mangled names included.
  if (symbol.starts_with("__Z"))
    symbol = symbol.drop_front();
  return llvm::demangle(symbol.str());
}

} // namespace tcfix
