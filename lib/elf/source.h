// Source: a file, or the result of a rewrite, with the same interface.
//
// The result of an edit is checked by the code that read the original, without being built: only
// the ranges that the rewrite changes are assembled in memory.
#pragma once

#include "patch/rewrite.h"

#include <deque>
#include <optional>

namespace tcfix::elf {

class Source {
public:
  explicit Source(Bytes original) : unchanged(identityOf(original)), view(original, unchanged) {}
  /// Both arguments must outlive the source.
  Source(Bytes original, const Rewrite& rewrite) : view(original, rewrite) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  uint64_t size() const { return view.size(); }

  /// The bytes [offset, offset + length), valid as long as the source; nothing if they are out of
  /// bounds.
  std::optional<Bytes> read(uint64_t offset, uint64_t length) const {
    if (!fits(offset, length, size()))
      return std::nullopt;
    ByteVector assembled;
    Bytes bytes = view.read(offset, length, assembled);
    if (!assembled.empty())
      bytes = kept.emplace_back(std::move(assembled));
    return bytes;
  }

private:
  Rewrite unchanged;
  RewrittenView view;
  mutable std::deque<ByteVector> kept; ///< the assembled ranges
};

} // namespace tcfix::elf
