// Rewrite: the result of every edit, as a value.
//
// A Rewrite describes how a new file differs from the old one: its size, the blocks that move, and
// the byte patches, each with a reason. Dry run, diff, journal and undo all use this same value.
// Bytes that no patch or move covers stay as they were; past the old end they are zero.
#pragma once

#include "base/bytes.h"

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace tcfix {

/// New bytes at an offset of the new file, and the old file's bytes at that offset (fewer bytes, or
/// none, past its end).
struct BytePatch {
  uint64_t offset = 0;
  ByteVector before;
  ByteVector after;
  std::string reason;
};

/// A block of the old file that has another offset in the new one.
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
  std::vector<BytePatch> patches; ///< in order of offset, without overlap; applied after moves

  bool isIdentity() const { return oldSize == newSize && moves.empty() && patches.empty(); }
};

/// An empty rewrite.
Rewrite identityOf(Bytes original);

/// Adds patches that put `after` at `offset`, one for each run of bytes that differs. The new file
/// grows if `after` extends past its end. Later ranges must not overlap earlier ones.
void put(Rewrite& rewrite, Bytes original, uint64_t offset, Bytes after, const std::string& reason);

/// Sorts the patches by offset; call once after the last put().
void seal(Rewrite& rewrite);

/// The number of bytes of the old file that change or are cut off.
uint64_t bytesChanged(const Rewrite& rewrite);

/// The rewrite that turns `from` into `to`, without moves.
Rewrite differenceOf(Bytes from, Bytes to, const std::string& reason);

/// The rewrite that turns the new file back into `original`.
Rewrite reverseOf(const Rewrite& rewrite, Bytes original);

/// A view of the new file that does not build it: any range of it can be read.
class RewrittenView {
public:
  /// Both arguments must outlive the view; the rewrite must be sealed.
  RewrittenView(Bytes original, const Rewrite& rewrite) : original(original), rewrite(rewrite) {}

  uint64_t size() const { return rewrite.newSize; }

  /// The bytes [offset, offset + length): a view of the original if nothing changed there, else
  /// built in `scratch`.
  Bytes read(uint64_t offset, uint64_t length, ByteVector& scratch) const;

  /// True when the range is the same as in the original, at the same offset.
  bool isUntouched(uint64_t offset, uint64_t length) const;

private:
  Bytes original;
  const Rewrite& rewrite;
};

/// The whole new file in memory. For tests and small files.
ByteVector rewritten(const Rewrite& rewrite, Bytes original);

} // namespace tcfix
