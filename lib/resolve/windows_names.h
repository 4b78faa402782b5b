// Names of DLLs that come with Windows, with Python, or with no file at all.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tcfix::resolve {

/// API sets are names that Windows itself translates; there are no such files.
bool isApiSet(llvm::StringRef name);

/// The registry's KnownDLLs: only ever taken from System32, whatever lies in other folders.
bool isKnownDll(llvm::StringRef name);

/// DLLs of System32 that Python packages ask for, and the C and C++ runtime, which its installer
/// puts there. For a target whose System32 is out of reach.
bool isWindowsLibrary(llvm::StringRef name);

/// python312.dll, python3.dll: the process has them.
bool isInterpreter(llvm::StringRef name);

} // namespace tcfix::resolve
