// The system packages that contain libraries which Python packages expect to be installed.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::recipe {

/// Debian's and Ubuntu's package with this library, or winget's with this DLL; empty if unknown.
std::string systemPackageOf(llvm::StringRef library);

/// Homebrew's formula with this library, named with or without its version; empty if unknown.
std::string homebrewFormulaOf(llvm::StringRef library);

/// A DLL of Microsoft's C++ runtime.
bool isWindowsRuntime(llvm::StringRef library);

} // namespace tcfix::recipe
