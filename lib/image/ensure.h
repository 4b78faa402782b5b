// The meaning of search path edits, the same for every format: a list goes in, a list comes out.
#pragma once

#include "tcfix/image.h"

#include <llvm/ADT/ArrayRef.h>

namespace tcfix {

struct EnsuredSearchPaths {
  std::vector<std::string> paths;
  std::vector<Change> changes;       ///< the net difference, in a stable order
  std::vector<std::string> warnings; ///< requests that met nothing to work on
};

/// Applies the edits in order, and removes repeated entries (the first one stays).
EnsuredSearchPaths ensureSearchPaths(const std::vector<std::string>& current,
                                     llvm::ArrayRef<SearchPathEdit> edits);

} // namespace tcfix
