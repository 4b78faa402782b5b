#include "pe/byte_overlay.h"

#include <gtest/gtest.h>

#include <random>

namespace tcfix::pe {
namespace {

TEST(ByteOverlay, LaterWritesReplaceEarlierOnes) {
  std::mt19937 random(5);
  ByteVector base(200);
  for (uint8_t& byte : base)
    byte = static_cast<uint8_t>(random());
  for (int round = 0; round < 500; ++round) {
    ByteOverlay image(base);
    ByteVector expected = base;
    for (int i = 0; i < 8; ++i) {
      ByteVector bytes(1 + random() % 60, static_cast<uint8_t>(i));
      size_t offset = random() % (base.size() - bytes.size());
      image.write(offset, bytes, "test");
      std::copy(bytes.begin(), bytes.end(), expected.begin() + offset);
      ASSERT_EQ(*image.read(0, base.size()), Bytes(expected));
      size_t from = random() % base.size();
      size_t length = random() % (base.size() - from);
      ASSERT_EQ(*image.read(from, length), Bytes(expected).slice(from, length));
    }
    Rewrite rewrite = identityOf(base);
    image.addTo(rewrite);
    seal(rewrite);
    ASSERT_EQ(rewritten(rewrite, base), expected);
  }
}

TEST(ByteOverlay, UntouchedBytesAreNotCopied) {
  ByteVector base(100);
  ByteOverlay image(base);
  image.write(10, bytesOf("abc"), "test");
  EXPECT_EQ(image.read(13, 50)->data(), base.data() + 13);
  EXPECT_EQ(image.read(0, 10)->data(), base.data());
}

TEST(ByteOverlay, CanBeShorterOrLongerThanTheFile) {
  ByteVector base(10, 1);
  ByteOverlay image(base);
  image.resize(5);
  EXPECT_EQ(image.read(4, 2), std::nullopt);
  image.resize(12);
  EXPECT_EQ(image.read(9, 3)->vec(), (ByteVector{1, 0, 0}));
}

} // namespace
} // namespace tcfix::pe
