// Draft: a mapped file and the changes meant for it, readable as if they were made.
//
// An edit of a converted DLL first puts the original bytes back and then converts anew; both write
// into one draft, and what is left in the end is the difference. Later writes win over earlier
// ones. Nothing is copied but the changed places.
#pragma once

#include "base/bytes.h"
#include "patch/rewrite.h"

#include <deque>
#include <map>

namespace tcfix::pe {

class Draft {
public:
  explicit Draft(Bytes base) : base(base), newSize(base.size()) {}

  uint64_t size() const { return newSize; }
  void resize(uint64_t size) { newSize = size; }

  /// Bytes must lie inside size().
  void write(uint64_t offset, Bytes bytes, llvm::StringRef reason);

  /// The bytes [offset, offset + length) as they will be, or nothing if they are not all inside.
  /// What the result points to lives as long as the draft.
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
