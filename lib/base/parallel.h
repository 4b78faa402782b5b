// A loop whose iterations run on several threads. They must not depend on one another.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstddef>

namespace tcfix {

/// The number of hardware threads; at least 1.
unsigned hardwareThreads();

/// Calls body(0) … body(count - 1), at most `threads` at a time, and returns when all are done.
void parallelFor(size_t count, unsigned threads, llvm::function_ref<void(size_t)> body);

} // namespace tcfix
