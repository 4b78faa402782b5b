// Paths as strings.

#include "base/paths.h"

#include <gtest/gtest.h>

namespace tcfix::support {
namespace {

TEST(Paths, AreWithinADirectory) {
  EXPECT_TRUE(isWithin("/opt/lib", "/opt/lib"));
  EXPECT_TRUE(isWithin("/opt/lib/x", "/opt/lib"));
  EXPECT_TRUE(isWithin("/opt", "/"));
  EXPECT_FALSE(isWithin("/opt/lib64", "/opt/lib"));
  EXPECT_FALSE(isWithin("/opt", "/opt/lib"));
}

TEST(Paths, AreRelative) {
  EXPECT_EQ(relativePath("/env/torchcodec", "/env/torch/lib"), "../torch/lib");
  EXPECT_EQ(relativePath("/env", "/env/x.so"), "x.so");
  EXPECT_EQ(relativePath("/env/a/b", "/env"), "../..");
  EXPECT_EQ(relativePath("torchcodec", "av.libs"), "../av.libs");
  EXPECT_EQ(relativePath("/env", "/env"), "");
}

} // namespace
} // namespace tcfix::support
