// EditOutcome: what a format's module returns for a file and the edits wanted of it.
#pragma once

#include "patch/rewrite.h"
#include "tcfix/image.h"

namespace tcfix {

struct EditOutcome {
  Rewrite rewrite;                   ///< the identity when nothing was to do
  std::vector<Change> changes;       ///< what the rewrite means, one by one
  std::vector<std::string> warnings; ///< sentences for the user; nothing that stopped the edit
};

} // namespace tcfix
