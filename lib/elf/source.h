// Source: a file, or the file that a rewrite will make of it, read in the same way.
//
// The result of an edit is judged by the code that read the original, without ever being made: only
// the ranges that a rewrite touches are put together in memory.
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

  /// The bytes [offset, offset + length), valid as long as the source; nothing if they are not all
  /// there.
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
  mutable std::deque<ByteVector> kept; ///< what had to be put together
};

} // namespace tcfix::elf
