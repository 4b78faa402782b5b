// EditOutcome: the result of applying edits to a file, from a format's module.
#pragma once

#include "patch/rewrite.h"
#include "tcfix/image.h"

namespace tcfix {

struct EditOutcome {
  Rewrite rewrite;                   ///< the identity when there was nothing to do
  std::vector<Change> changes;       ///< what the rewrite changes, for reports
  std::vector<std::string> warnings; ///< for the user; none of them stopped the edit
};

} // namespace tcfix
