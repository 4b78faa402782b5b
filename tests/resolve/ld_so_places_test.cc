// Facts about all Linux systems.

#include "resolve/ld_so_places.h"

#include <gtest/gtest.h>

namespace tcfix::support {
namespace {

TEST(LdSoPlaces, HaveDebiansNamesOfArchitectures) {
  EXPECT_EQ(resolve::multiarchFolder("x86_64"), "x86_64-linux-gnu");
  EXPECT_EQ(resolve::multiarchFolder("arm64"), resolve::multiarchFolder("aarch64"));
  EXPECT_EQ(resolve::multiarchFolder("ppc64le"), "powerpc64le-linux-gnu");
  EXPECT_EQ(resolve::multiarchFolder("arm"), "arm-linux-gnueabihf");
  EXPECT_EQ(resolve::multiarchFolder("unheard-of"), "");
}

TEST(BaseLibraries, AreThoseOfTheManylinuxPolicies) {
  for (const char* name : {"libc.so.6", "libstdc++.so.6", "libatomic.so.1", "libz.so.1"})
    EXPECT_TRUE(resolve::baseLibrary(name).isPortable) << name;
  // Old wheels use the system's, new ones must contain it.
  EXPECT_TRUE(resolve::baseLibrary("libcrypt.so.1").isBase);
  EXPECT_FALSE(resolve::baseLibrary("libcrypt.so.1").isPortable);
  EXPECT_FALSE(resolve::baseLibrary("libavcodec.so.61").isBase);
  EXPECT_FALSE(resolve::baseLibrary("libz.so.1").hasVersions);
}

} // namespace
} // namespace tcfix::support
