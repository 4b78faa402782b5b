// ByteOverlay: a mapped file with pending changes, which can be read as if they were written.
//
// An edit of a converted DLL first restores the original bytes and then converts the DLL again;
// both steps write to one overlay, and the result is the net difference. Later writes replace
// earlier ones. Only changed ranges are copied.
#pragma once

#include "base/bytes.h"
#include "patch/rewrite.h"

#include <deque>
#include <map>

namespace tcfix::pe {

class ByteOverlay {
public:
  explicit ByteOverlay(Bytes base) : base(base), newSize(base.size()) {}

  uint64_t size() const { return newSize; }
  void resize(uint64_t size) { newSize = size; }

  /// The range must be inside size().
  void write(uint64_t offset, Bytes bytes, llvm::StringRef reason);

  /// The bytes [offset, offset + length) with all changes, or nothing if they are out of bounds.
  /// The result is valid as long as the overlay.
  std::optional<Bytes> read(uint64_t offset, uint64_t length) const;

  /// Adds all writes to a rewrite of the base.
  void addTo(Rewrite& rewrite) const;

private:
  struct Piece {
    ByteVector bytes;
    std::string reason;
  };

  std::map<uint64_t, Piece>::const_iterator firstReaching(uint64_t offset) const;

  Bytes base;
  uint64_t newSize;
  std::map<uint64_t, Piece> pieces; ///< by offset, without overlap
  mutable std::deque<ByteVector> copies;
};

} // namespace tcfix::pe
