// Python's version in the names of files and wheels.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::doctor {

/// "cp312" of "x.cpython-312-darwin.so" or of "x.cp312-win_amd64.pyd"; empty if the name has none.
std::string pythonTagOf(llvm::StringRef name);

/// "cp312" for "3.12".
std::string pythonTagFor(llvm::StringRef version);

} // namespace tcfix::doctor
