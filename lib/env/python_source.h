// What a Python source does when it is imported, as far as its text shows: the modules that it
// imports, in order, and whether it loads libraries. Nothing is executed. A statement counts if it
// is executed on the target's platform: those in functions, and those that depend on a condition
// whose value is unknown, do not.
#pragma once

#include "image/platform.h"

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace tcfix::env {

/// `import a.b` or `from ..a import b, c`.
struct ImportStatement {
  size_t level = 0;               ///< the number of dots before the module's name
  std::string module;             ///< empty for `from . import b`
  std::vector<std::string> names; ///< those after `from … import`
};

struct PythonSource {
  std::vector<ImportStatement> imports;
  /// The source without comments and long strings, if it contains a call that loads a library by
  /// ctypes or the like, also in a function; else empty.
  std::string loadingCode;
};

/// Whether the code may load the library with this file name: it contains the name, or it loads
/// what it finds in a directory.
bool mayLoad(llvm::StringRef loadingCode, llvm::StringRef library);

PythonSource readPythonSource(llvm::StringRef text, Platform platform);

/// Whether a source contains such a call or, on Windows, adds a directory to the DLL search.
bool callsALoader(llvm::StringRef text, Platform platform);

} // namespace tcfix::env
