// Bytes: views and checked arithmetic for offsets that come out of a file.
//
// Every offset and size read from a file is untrusted until it has been checked against the file's
// size. All modules check them with these functions.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tcfix {

using Bytes = llvm::ArrayRef<uint8_t>;
using ByteVector = std::vector<uint8_t>;

/// True if [offset, offset + length) is inside something of `size` bytes.
constexpr bool fits(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

/// The part [offset, offset + length) of `bytes`, or nothing if it is out of bounds.
inline std::optional<Bytes> part(Bytes bytes, uint64_t offset, uint64_t length) {
  if (!fits(offset, length, bytes.size()))
    return std::nullopt;
  return bytes.slice(offset, length);
}

/// `value` rounded up to a multiple of `alignment`, which is a power of two.
constexpr uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

inline Bytes bytesOf(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

inline llvm::StringRef textOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace tcfix
