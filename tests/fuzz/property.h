// What fuzzed code must keep.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdio>
#include <cstdlib>

namespace tcfix::fuzz {

/// Ends the program, as a sanitizer would.
inline void promise(bool isKept, const char* what) {
  if (isKept)
    return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

/// Whether it worked. That hostile input is refused is no failure.
template <typename Value>
bool succeeds(llvm::Expected<Value> value) {
  if (value)
    return true;
  llvm::consumeError(value.takeError());
  return false;
}

} // namespace tcfix::fuzz
