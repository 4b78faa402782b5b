// ld.so.cache in both byte orders, after the old format, of this machine, and corrupt.

#include "io/file.h"
#include "resolve/ld_cache.h"
#include "support/guarded_bytes.h"
#include "support/ld_cache_builder.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using resolve::LdCacheEntry;
using testing::SizeIs;

const std::vector<LdCacheListing> kEntries = {
    {"libavcodec.so.61", "/usr/lib/x86_64-linux-gnu/libavcodec.so.61"},
    {"libc.so.6", "/lib32/libc.so.6", 0x0003},
    {"libfast.so", "/usr/lib/glibc-hwcaps/x86-64-v3/libfast.so", 0x0303, uint64_t(1) << 62},
};

void expectEntries(Bytes cache) {
  auto entries = resolve::parseLdCache(cache);
  ASSERT_TRUE(entries.has_value());
  ASSERT_THAT(*entries, SizeIs(kEntries.size()));
  for (size_t i = 0; i < kEntries.size(); ++i) {
    EXPECT_EQ((*entries)[i].name, kEntries[i].name);
    EXPECT_EQ((*entries)[i].path, kEntries[i].path);
    EXPECT_EQ((*entries)[i].flags, kEntries[i].flags);
    EXPECT_EQ((*entries)[i].hwcap, kEntries[i].hwcap);
  }
}

TEST(LdCache, IsReadInBothByteOrders) {
  expectEntries(ldCache(kEntries, true));
  expectEntries(ldCache(kEntries, false));
}

TEST(LdCache, IsReadAfterTheOldFormat) {
  ByteWriter both(true);
  both.text("ld.so-1.7.0");
  both.padTo(12);
  both.u32(3);
  both.padTo(16 + 3 * 12);
  both.padTo(alignUp(both.size(), 8));
  both.raw(ldCache(kEntries));
  expectEntries(both.bytes);
}

TEST(LdCache, MatchesEntriesToArchitectures) {
  EXPECT_TRUE((LdCacheEntry{"", "", 0x0303, 0}.isFor("x86_64")));
  EXPECT_FALSE((LdCacheEntry{"", "", 0x0003, 0}.isFor("x86_64")));
  EXPECT_TRUE((LdCacheEntry{"", "", 0x0a03, 0}.isFor("aarch64")));
  EXPECT_FALSE((LdCacheEntry{"", "", 0, 0}.isFor("unheard-of")));
}

TEST(LdCache, IgnoresEntriesOutOfBounds) {
  ByteVector cache = ldCache(kEntries);
  cache[48 + 24 + 7] = 0xff; // the second one's name
  auto entries = resolve::parseLdCache(cache);
  ASSERT_TRUE(entries.has_value());
  EXPECT_THAT(*entries, SizeIs(2));
}

TEST(LdCache, IsRejectedInOtherFiles) {
  EXPECT_EQ(resolve::parseLdCache({}), std::nullopt);
  EXPECT_EQ(resolve::parseLdCache(bytesOf("text")), std::nullopt);
  ByteVector tooMany = ldCache(kEntries);
  tooMany[23] = 0xff;
  EXPECT_EQ(resolve::parseLdCache(tooMany), std::nullopt);
}

TEST(LdCache, SurvivesEveryTruncationAndEveryFlippedByte) {
  ByteVector cache = ldCache(kEntries);
  for (size_t size = 0; size < cache.size(); ++size) {
    GuardedBytes shorter(Bytes(cache).take_front(size));
    resolve::parseLdCache(shorter);
  }
  for (uint8_t& byte : cache)
    for (uint8_t mask : {0x01, 0x80, 0xff}) {
      byte ^= mask;
      GuardedBytes changed(cache);
      auto entries = resolve::parseLdCache(changed);
      EXPECT_LE(entries ? entries->size() : 0, kEntries.size());
      byte ^= mask;
    }
}

TEST(LdCache, OfThisMachineHasItsCLibrary) {
  llvm::Expected<io::InputFile> file = io::InputFile::open("/etc/ld.so.cache");
  if (!file) {
    llvm::consumeError(file.takeError());
    GTEST_SKIP() << "this machine has no ld.so.cache";
  }
  auto entries = resolve::parseLdCache(file->bytes());
  ASSERT_TRUE(entries.has_value());
  EXPECT_TRUE(llvm::any_of(*entries, [](const LdCacheEntry& entry) {
    return entry.name == "libc.so.6" && llvm::sys::fs::exists(entry.path);
  }));
}

} // namespace
} // namespace tcfix::support
