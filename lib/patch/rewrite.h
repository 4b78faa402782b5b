// Rewrite: the value that every edit becomes.
//
// A Rewrite says how a new file differs from the old one: its size, the blocks that move, and the
// byte patches, each with a reason. Dry run, diff, journal and undo all show this same value, and
// writing it is mechanical. Bytes that no patch and no move names stay as they were; bytes past
// the old end that nothing names are zero.
#pragma once

#include "base/bytes.h"

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace tcfix {

/// New bytes at an offset of the new file, and what stood at that offset of the old file (fewer
/// bytes, or none, past its end).
struct BytePatch {
  uint64_t offset = 0;
  ByteVector before;
  ByteVector after;
  std::string reason;
};

/// A block of the old file that lies elsewhere in the new one.
struct Move {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t length = 0;
  std::string reason;
};

struct Rewrite {
  uint64_t oldSize = 0;
  uint64_t newSize = 0;
  std::vector<Move> moves;        ///< in order of `to`, without overlap
  std::vector<BytePatch> patches; ///< in order of offset, without overlap; they win over moves

  bool isIdentity() const { return oldSize == newSize && moves.empty() && patches.empty(); }
};

/// A rewrite that changes nothing yet.
Rewrite identityOf(Bytes original);

/// Adds patches that put `after` at `offset`, one for each run of bytes that really differs.
/// The new file grows if `after` reaches past its end. Later ranges must not overlap earlier ones.
void put(Rewrite& rewrite, Bytes original, uint64_t offset, Bytes after, const std::string& reason);

/// Sorts the patches by offset; call once after the last put().
void seal(Rewrite& rewrite);

/// How many bytes of the old file change their value or vanish.
uint64_t bytesChanged(const Rewrite& rewrite);

/// The rewrite that turns `from` into `to`, byte for byte in place.
Rewrite differenceOf(Bytes from, Bytes to, const std::string& reason);

/// The rewrite that turns the new file back into `original`.
Rewrite reverseOf(const Rewrite& rewrite, Bytes original);

/// The new file as it will be, without making it: any range of it can be read.
class RewrittenView {
public:
  /// Both arguments must outlive the view; the rewrite must be sealed.
  RewrittenView(Bytes original, const Rewrite& rewrite) : original(original), rewrite(rewrite) {}

  uint64_t size() const { return rewrite.newSize; }

  /// The bytes [offset, offset + length): a view of the original where nothing changed there, else
  /// built in `scratch`.
  Bytes read(uint64_t offset, uint64_t length, ByteVector& scratch) const;

  /// True when no byte of the range differs from the original's at the same offset.
  bool isUntouched(uint64_t offset, uint64_t length) const;

private:
  Bytes original;
  const Rewrite& rewrite;
};

/// The whole new file in memory. For tests and small files.
ByteVector rewritten(const Rewrite& rewrite, Bytes original);

} // namespace tcfix
