// The finding for one failure of a text, with the command that helps: of the recipe's package, of
// torch, or of any other package.
#pragma once

#include "doctor/findings.h"
#include "traceback/causes.h"

namespace tcfix::traceback {

/// `context` is about the recipe's package.
doctor::Finding findingOf(const Defect& failure, doctor::FindingContext context,
                          const TracebackFacts& facts);

} // namespace tcfix::traceback
