// Where a library lies although no search path leads there: in the environment, or below the
// prefixes that people install into by hand. For advice; nothing is taken from there unasked.
#pragma once

#include "env/target.h"

namespace tcfix::providers {

/// Host paths of the directories that have a library of this name, for this architecture (empty:
/// any); the environment's own first.
std::vector<std::string> findElsewhere(llvm::StringRef name, llvm::StringRef arch,
                                       const env::Target& target);

} // namespace tcfix::providers
