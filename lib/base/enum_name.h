// Names of enum values, as JSON and messages spell them.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tcfix {

/// The name of `value` in a list that names the values in their order up to `Last`.
template <auto Last, size_t Count>
constexpr llvm::StringRef enumName(decltype(Last) value,
                                   const llvm::StringLiteral (&names)[Count]) {
  static_assert(Count == static_cast<size_t>(Last) + 1, "each value needs one name");
  return names[static_cast<size_t>(value)];
}

} // namespace tcfix
