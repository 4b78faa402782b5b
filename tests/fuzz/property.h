// Properties that fuzzed code must have.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdio>
#include <cstdlib>

namespace tcfix::fuzz {

/// Aborts if the property does not hold, as a sanitizer does.
inline void expect(bool holds, const char* property) {
  if (holds)
    return;
  std::fprintf(stderr, "violated property: %s\n", property);
  std::abort();
}

/// Whether it succeeded. Refusing malicious input is not a failure.
template <typename Value>
bool succeeds(llvm::Expected<Value> value) {
  if (value)
    return true;
  llvm::consumeError(value.takeError());
  return false;
}

} // namespace tcfix::fuzz
