#include "patch/rewrite.h"

#include <gtest/gtest.h>

#include <random>

namespace tcfix {
namespace {

ByteVector bytesFrom(llvm::StringRef text) {
  return {text.bytes_begin(), text.bytes_end()};
}

TEST(Rewrite, NoEditsMeanIdenticalBytes) {
  ByteVector original = bytesFrom("hello");
  Rewrite rewrite = identityOf(original);
  put(rewrite, original, 1, bytesOf("ell"), "same");
  EXPECT_TRUE(rewrite.isIdentity());
  EXPECT_EQ(rewritten(rewrite, original), original);
}

TEST(Rewrite, OnlyDifferingRunsBecomePatches) {
  ByteVector original = bytesFrom("aaaaaaaaaaaaaaaaaaaa");
  Rewrite rewrite = identityOf(original);
  put(rewrite, original, 2, bytesOf("baaaaaaaaac"), "two runs");
  seal(rewrite);
  ASSERT_EQ(rewrite.patches.size(), 2u);
  EXPECT_EQ(rewrite.patches[0].offset, 2u);
  EXPECT_EQ(rewrite.patches[1].offset, 12u);
  EXPECT_EQ(bytesChanged(rewrite), 2u);
  EXPECT_EQ(rewritten(rewrite, original), bytesFrom("aabaaaaaaaaacaaaaaaa"));
}

TEST(Rewrite, GrowsIfAPatchExtendsPastTheEnd) {
  ByteVector original = bytesFrom("abc");
  Rewrite rewrite = identityOf(original);
  put(rewrite, original, 2, bytesOf("cde"), "tail");
  put(rewrite, original, 7, bytesOf("z"), "far tail");
  seal(rewrite);
  EXPECT_EQ(rewrite.newSize, 8u);
  EXPECT_EQ(rewritten(rewrite, original), bytesFrom(llvm::StringRef("abcde\0\0z", 8)));
  EXPECT_EQ(bytesChanged(rewrite), 0u);
}

TEST(Rewrite, PatchesOverrideMovedBlocks) {
  ByteVector original = bytesFrom("headAAAABBBB");
  Rewrite rewrite = identityOf(original);
  rewrite.moves.push_back({8, 12, 4, "B moves"});
  rewrite.newSize = 16;
  put(rewrite, original, 8, bytesOf("aaaa"), "A grows");
  rewrite.patches.push_back({13, {}, {'x'}, "edited after the move"});
  seal(rewrite);
  EXPECT_EQ(rewritten(rewrite, original), bytesFrom("headAAAAaaaaBxBB"));
}

TEST(Rewrite, ReverseRestoresTheOriginalBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    ByteVector original(40 + random() % 40);
    for (uint8_t& byte : original)
      byte = static_cast<uint8_t>(random());
    Rewrite rewrite = identityOf(original);
    if (round % 3 == 0) {
      uint64_t from = 10 + random() % 10;
      uint64_t length = original.size() - from;
      rewrite.moves.push_back({from, from + 1 + random() % 20, length, "move"});
      rewrite.newSize = rewrite.moves[0].to + length;
    } else if (round % 3 == 1) {
      rewrite.newSize = original.size() - random() % 10;
    }
    for (uint64_t offset = random() % 8; offset + 4 < rewrite.newSize; offset += 6 + random() % 9) {
      ByteVector fresh{uint8_t(random()), uint8_t(random()), uint8_t(random())};
      put(rewrite, original, offset, fresh, "patch");
    }
    seal(rewrite);
    ByteVector changed = rewritten(rewrite, original);
    Rewrite back = reverseOf(rewrite, original);
    ASSERT_EQ(rewritten(back, changed), original) << "round " << round;
  }
}

TEST(RewrittenView, ReadsAnyRangeOfTheNewFile) {
  ByteVector original = bytesFrom("0123456789");
  Rewrite rewrite = identityOf(original);
  put(rewrite, original, 3, bytesOf("xyz"), "middle");
  put(rewrite, original, 10, bytesOf("!!"), "tail");
  seal(rewrite);
  RewrittenView view(original, rewrite);
  ByteVector whole = rewritten(rewrite, original);
  for (uint64_t offset = 0; offset < view.size(); ++offset)
    for (uint64_t length = 0; offset + length <= view.size(); ++length) {
      ByteVector scratch;
      EXPECT_EQ(view.read(offset, length, scratch), Bytes(whole).slice(offset, length));
    }
  ByteVector scratch;
  EXPECT_EQ(view.read(0, 3, scratch).data(), original.data()) << "untouched bytes are not copied";
}

} // namespace
} // namespace tcfix
