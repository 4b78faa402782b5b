#include "pe/byte_overlay.h"

#include <algorithm>
#include <cassert>

namespace tcfix::pe {

std::map<uint64_t, ByteOverlay::Piece>::const_iterator
ByteOverlay::firstReaching(uint64_t offset) const {
  auto next = pieces.upper_bound(offset);
  if (next != pieces.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second.bytes.size() > offset)
      return previous;
  }
  return next;
}

void ByteOverlay::write(uint64_t offset, Bytes bytes, llvm::StringRef reason) {
  assert(fits(offset, bytes.size(), newSize));
  if (bytes.empty())
    return;
  const uint64_t end = offset + bytes.size();
  for (auto it = firstReaching(offset); it != pieces.end() && it->first < end;
       it = firstReaching(offset)) {
    const uint64_t begin = it->first;
    Piece old = std::move(pieces.extract(it).mapped());
    const uint64_t oldEnd = begin + old.bytes.size();
    if (oldEnd > end)
      pieces[end] = {{old.bytes.end() - (oldEnd - end), old.bytes.end()}, old.reason};
    if (begin < offset) {
      old.bytes.resize(offset - begin);
      pieces[begin] = std::move(old);
    }
  }
  pieces[offset] = {{bytes.begin(), bytes.end()}, reason.str()};
}

std::optional<Bytes> ByteOverlay::read(uint64_t offset, uint64_t length) const {
  if (!fits(offset, length, newSize))
    return std::nullopt;
  auto piece = firstReaching(offset);
  const uint64_t end = offset + length;
  const bool isTouched = piece != pieces.end() && piece->first < end;
  if (!isTouched && fits(offset, length, base.size()))
    return base.slice(offset, length);
  ByteVector& copy = copies.emplace_back(length, 0);
  if (offset < base.size())
    std::copy_n(base.begin() + offset, std::min<uint64_t>(length, base.size() - offset),
                copy.begin());
  for (; piece != pieces.end() && piece->first < end; ++piece) {
    const ByteVector& bytes = piece->second.bytes;
    const uint64_t from = std::max(offset, piece->first);
    const uint64_t to = std::min(end, piece->first + bytes.size());
    std::copy_n(bytes.begin() + (from - piece->first), to - from, copy.begin() + (from - offset));
  }
  return Bytes(copy);
}

void ByteOverlay::addTo(Rewrite& rewrite) const {
  for (const auto& [offset, piece] : pieces)
    if (offset < newSize)
      put(rewrite, base, offset,
          Bytes(piece.bytes).take_front(std::min<uint64_t>(piece.bytes.size(), newSize - offset)),
          piece.reason);
}

} // namespace tcfix::pe
