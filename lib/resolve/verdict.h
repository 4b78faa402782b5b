// Combining verdicts.
#pragma once

#include "resolve/session.h"

namespace tcfix::resolve {

inline Verdict both(Verdict a, Verdict b) {
  if (a == Verdict::Fails || b == Verdict::Fails)
    return Verdict::Fails;
  return a == Verdict::Unknown ? a : b;
}

inline Verdict either(Verdict a, Verdict b) {
  if (a == Verdict::Loads || b == Verdict::Loads)
    return Verdict::Loads;
  return a == Verdict::Unknown ? a : b;
}

} // namespace tcfix::resolve
