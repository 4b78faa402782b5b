// Versions and their order.

#include "base/version.h"

#include <gtest/gtest.h>

namespace tcfix::support {
namespace {

TEST(Versions, HaveTwoNumbers) {
  EXPECT_EQ(parseVersion("2.9.1+cu128"), (Version{2, 9}));
  EXPECT_EQ(parseVersion("2_28_x86_64", '_'), (Version{2, 28}));
  EXPECT_EQ(parseVersion("3"), std::nullopt);
  EXPECT_EQ(parseVersion("x.1"), std::nullopt);
  EXPECT_LT((Version{2, 9}), (Version{2, 28}));
}

TEST(Versions, AreOrderedByTheirNumbers) {
  for (auto [older, newer] : {std::pair("0.9.1", "0.10.0"),
                              {"0.9", "0.9.1"},
                              {"2.9.1", "2.9.1+cu128"},
                              {"1.0rc1", "1.0"},
                              {"1.0.dev3", "1.0.1"}}) {
    EXPECT_TRUE(isOlder(older, newer)) << older << " " << newer;
    EXPECT_FALSE(isOlder(newer, older)) << older << " " << newer;
  }
  EXPECT_FALSE(isOlder("1.0", "1.0"));
}

TEST(Versions, MayHaveSeveralSpellings) {
  EXPECT_TRUE(isSameVersion("0.9.1_cpu", "0.9.1+cpu"));
  EXPECT_TRUE(isSameVersion("1.0RC1", "1.0-rc1"));
  EXPECT_FALSE(isSameVersion("0.9.1", "0.9.2"));
  EXPECT_FALSE(isSameVersion("0.9.1", "0.9.1+cpu"));
  // Installers compare numbers, not letters.
  EXPECT_FALSE(isSameVersion("0.9.1", "0.91"));
  EXPECT_FALSE(isSameVersion("0.9.1", "0.9.10"));
  EXPECT_FALSE(isSameVersion("0.9.1rc1", "0.9.1.1"));
  EXPECT_FALSE(isSameVersion("0.9.1+cu12.8", "0.9.1+cu128"));
  EXPECT_TRUE(isSameVersion("0.9.1.0", "0.9.1"));
  EXPECT_TRUE(isSameVersion("0.9rc1", "0.9.0c1"));
  EXPECT_TRUE(isSameVersion("v0.09.1-Alpha", "0.9.1a0"));
  EXPECT_TRUE(isSameVersion("1!0.9.1.rev2", "1_0.9.1.post2"));
}

} // namespace
} // namespace tcfix::support
