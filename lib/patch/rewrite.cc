#include "patch/rewrite.h"

#include <algorithm>
#include <cstring>

namespace tcfix {

namespace {

// Differing runs that are closer than this become one patch: an extra patch is harder to read than
// a few equal bytes.
constexpr uint64_t kJoinGap = 4;

struct Range {
  uint64_t begin;
  uint64_t end;
};

Range overlap(uint64_t offset, uint64_t length, uint64_t otherOffset, uint64_t otherLength) {
  uint64_t begin = std::max(offset, otherOffset);
  uint64_t end = std::min(offset + length, otherOffset + otherLength);
  return {begin, std::max(begin, end)};
}

// The first patch of an ordered list that ends after `offset`.
std::vector<BytePatch>::const_iterator firstReaching(const std::vector<BytePatch>& patches,
                                                     uint64_t offset) {
  return std::partition_point(patches.begin(), patches.end(), [&](const BytePatch& patch) {
    return patch.offset + patch.after.size() <= offset;
  });
}

} // namespace

Rewrite identityOf(Bytes original) {
  Rewrite rewrite;
  rewrite.oldSize = rewrite.newSize = original.size();
  return rewrite;
}

void put(Rewrite& rewrite, Bytes original, uint64_t offset, Bytes after,
         const std::string& reason) {
  rewrite.newSize = std::max<uint64_t>(rewrite.newSize, offset + after.size());
  auto differs = [&](uint64_t i) {
    return offset + i >= original.size() || original[offset + i] != after[i];
  };
  for (uint64_t i = 0; i < after.size();) {
    if (!differs(i)) {
      ++i;
      continue;
    }
    uint64_t begin = i;
    uint64_t end = i + 1;
    for (i = end; i < after.size() && i < end + kJoinGap; ++i)
      if (differs(i))
        end = i + 1;
    BytePatch patch;
    patch.offset = offset + begin;
    patch.after.assign(after.begin() + begin, after.begin() + end);
    Range old = overlap(patch.offset, end - begin, 0, original.size());
    patch.before.assign(original.begin() + std::min<uint64_t>(old.begin, original.size()),
                        original.begin() + std::min<uint64_t>(old.end, original.size()));
    patch.reason = reason;
    rewrite.patches.push_back(std::move(patch));
  }
}

void seal(Rewrite& rewrite) {
  std::stable_sort(rewrite.patches.begin(), rewrite.patches.end(),
                   [](const BytePatch& a, const BytePatch& b) { return a.offset < b.offset; });
}

uint64_t bytesChanged(const Rewrite& rewrite) {
  uint64_t changed = rewrite.oldSize > rewrite.newSize ? rewrite.oldSize - rewrite.newSize : 0;
  for (const BytePatch& patch : rewrite.patches)
    for (size_t i = 0; i < patch.before.size(); ++i)
      changed += patch.before[i] != patch.after[i];
  return changed;
}

Rewrite differenceOf(Bytes from, Bytes to, const std::string& reason) {
  Rewrite rewrite = identityOf(from);
  put(rewrite, from, 0, to, reason);
  rewrite.newSize = to.size();
  seal(rewrite);
  return rewrite;
}

Rewrite reverseOf(const Rewrite& rewrite, Bytes original) {
  Rewrite reverse;
  reverse.oldSize = rewrite.newSize;
  reverse.newSize = rewrite.oldSize;
  for (const Move& move : rewrite.moves)
    reverse.moves.push_back({move.to, move.from, move.length, move.reason});
  std::sort(reverse.moves.begin(), reverse.moves.end(),
            [](const Move& a, const Move& b) { return a.to < b.to; });

  // Everything that the rewrite may have changed, as offsets in the original.
  std::vector<Range> touched;
  auto touch = [&](uint64_t offset, uint64_t length) {
    Range range = overlap(offset, length, 0, original.size());
    if (range.begin < range.end)
      touched.push_back(range);
  };
  touch(rewrite.newSize, original.size());
  for (const BytePatch& patch : rewrite.patches) {
    touch(patch.offset, patch.after.size());
    for (const Move& move : rewrite.moves) {
      Range hit = overlap(patch.offset, patch.after.size(), move.to, move.length);
      touch(hit.begin - move.to + move.from, hit.end - hit.begin);
    }
  }
  for (const Move& move : rewrite.moves)
    touch(move.to, move.length);
  std::sort(touched.begin(), touched.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });

  // Compares what the reversed moves alone would produce there with the original bytes.
  RewrittenView forward(original, rewrite);
  ByteVector scratch, moved;
  uint64_t done = 0;
  for (const Range& range : touched) {
    uint64_t begin = std::max(range.begin, done);
    if (begin >= range.end)
      continue;
    uint64_t length = range.end - begin;
    moved.assign(length, 0);
    Range kept = overlap(begin, length, 0, rewrite.newSize);
    Bytes now = forward.read(kept.begin, kept.end - kept.begin, scratch);
    std::copy(now.begin(), now.end(), moved.begin());
    for (const Move& move : reverse.moves) {
      Range hit = overlap(begin, length, move.to, move.length);
      Bytes source = forward.read(hit.begin - move.to + move.from, hit.end - hit.begin, scratch);
      std::copy(source.begin(), source.end(), moved.begin() + (hit.begin - begin));
    }
    for (uint64_t i = 0; i < length;) {
      if (moved[i] == original[begin + i]) {
        ++i;
        continue;
      }
      BytePatch patch;
      patch.offset = begin + i;
      while (i < length && moved[i] != original[begin + i])
        patch.after.push_back(original[begin + i++]);
      Bytes before = forward.read(
          patch.offset,
          std::min<uint64_t>(patch.after.size(),
                             rewrite.newSize - std::min(rewrite.newSize, patch.offset)),
          scratch);
      patch.before.assign(before.begin(), before.end());
      patch.reason = "original bytes";
      reverse.patches.push_back(std::move(patch));
    }
    done = range.end;
  }
  return reverse;
}

bool RewrittenView::isUntouched(uint64_t offset, uint64_t length) const {
  if (!fits(offset, length, original.size()) || !fits(offset, length, rewrite.newSize))
    return false;
  for (const Move& move : rewrite.moves) {
    Range hit = overlap(offset, length, move.to, move.length);
    if (hit.begin < hit.end)
      return false;
  }
  auto patch = firstReaching(rewrite.patches, offset);
  return patch == rewrite.patches.end() || patch->offset >= offset + length;
}

Bytes RewrittenView::read(uint64_t offset, uint64_t length, ByteVector& scratch) const {
  if (length == 0)
    return {};
  if (isUntouched(offset, length))
    return original.slice(offset, length);
  scratch.assign(length, 0);
  auto copyIn = [&](Range hit, const uint8_t* source) {
    if (hit.begin < hit.end)
      std::memcpy(scratch.data() + (hit.begin - offset), source, hit.end - hit.begin);
  };
  Range same = overlap(offset, length, 0, std::min<uint64_t>(original.size(), rewrite.newSize));
  copyIn(same, original.data() + same.begin);
  for (const Move& move : rewrite.moves) {
    Range hit = overlap(offset, length, move.to, move.length);
    copyIn(hit, original.data() + move.from + (hit.begin - move.to));
  }
  for (auto patch = firstReaching(rewrite.patches, offset);
       patch != rewrite.patches.end() && patch->offset < offset + length; ++patch) {
    Range hit = overlap(offset, length, patch->offset, patch->after.size());
    copyIn(hit, patch->after.data() + (hit.begin - patch->offset));
  }
  return scratch;
}

ByteVector rewritten(const Rewrite& rewrite, Bytes original) {
  ByteVector scratch;
  Bytes all = RewrittenView(original, rewrite).read(0, rewrite.newSize, scratch);
  if (all.data() == scratch.data())
    return scratch;
  return {all.begin(), all.end()};
}

} // namespace tcfix
