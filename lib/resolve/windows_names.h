// Names of DLLs that are part of Windows or Python, or that have no file.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tcfix::resolve {

/// API sets: names that Windows maps to other DLLs; there are no such files.
bool isApiSet(llvm::StringRef name);

/// The registry's KnownDLLs: always loaded from System32, even if other folders contain them.
bool isKnownDll(llvm::StringRef name);

/// DLLs in System32 that Python packages require, and the C and C++ runtime, which its installer
/// puts there. For a target whose System32 is not on this machine.
bool isWindowsLibrary(llvm::StringRef name);

/// python312.dll, python3.dll: already in the process.
bool isInterpreter(llvm::StringRef name);

} // namespace tcfix::resolve
