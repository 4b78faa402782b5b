// Names of enum values, as used in JSON and messages.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tcfix {

/// The name of `value`. `names` has one name for each enumerator, in order, up to `Last`.
template <auto Last, size_t Count>
constexpr llvm::StringRef enumName(decltype(Last) value,
                                   const llvm::StringLiteral (&names)[Count]) {
  static_assert(Count == static_cast<size_t>(Last) + 1, "each value needs one name");
  return names[static_cast<size_t>(value)];
}

} // namespace tcfix
