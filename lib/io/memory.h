// Memory: requests to the system, and pages of mapped files.
#pragma once

#include "base/bytes.h"

namespace tcfix::io {

/// Releases the memory of mapped pages that have been read, so that a library of hundreds of
/// megabytes does not fill it; reading them again maps them again. Does nothing for bytes outside
/// mapped files, and for less than a megabyte, which is not worth the call.
void passed(Bytes bytes);

/// For programs, once: requests memory from the system in larger steps. Only pages that are used
/// count.
void takeMemoryInLargeSteps();

} // namespace tcfix::io
