// Search path edits on a list of entries, the same for every format.
#pragma once

#include "tcfix/image.h"

#include <llvm/ADT/ArrayRef.h>

namespace tcfix {

struct EnsuredSearchPaths {
  std::vector<std::string> paths;
  std::vector<Change> changes;       ///< the net difference, in a stable order
  std::vector<std::string> warnings; ///< edits that had no effect
};

/// Applies the edits in order, and removes duplicate entries (the first one stays).
EnsuredSearchPaths ensureSearchPaths(const std::vector<std::string>& current,
                                     llvm::ArrayRef<SearchPathEdit> edits);

} // namespace tcfix
