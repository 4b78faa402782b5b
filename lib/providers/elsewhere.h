// Finds libraries that no search path covers: in the environment, or below prefixes for manual
// installations. Used for advice only.
#pragma once

#include "env/target.h"

namespace tcfix::providers {

/// Host paths of the directories that contain a library with this name for this architecture
/// (empty: any); those of the environment first.
std::vector<std::string> findElsewhere(llvm::StringRef name, llvm::StringRef arch,
                                       const env::Target& target);

} // namespace tcfix::providers
