// Places of files, for tests. A path without a place ends the test program.
#pragma once

#include "io/directory.h"

namespace tcfix::support {

inline io::Place placeOf(llvm::StringRef path) {
  return llvm::cantFail(io::Place::of(path));
}

} // namespace tcfix::support
