// Export tries: every name of a good one, and an answer for every bad one.

#include "macho/export_trie.h"
#include "support/guarded_bytes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::Optional;
using testing::UnorderedElementsAre;

// The root leads by "_a" to node 6, which exports _a and leads by "b" to node 13, which exports
// _ab.
const ByteVector kGood = {0, 1, '_',  'a', 0,   6,     // root
                          2, 0, 0x10, 1,   'b', 0, 13, // _a
                          2, 0, 0x20, 0};              // _ab

TEST(ExportTrie, ListsAllNames) {
  EXPECT_THAT(macho::exportNames(kGood), Optional(UnorderedElementsAre("_a", "_ab")));
}

TEST(ExportTrie, AnEmptyTrieHasNoNames) {
  EXPECT_FALSE(macho::exportNames({}));
}

TEST(ExportTrie, ACycleIsRefused) {
  ByteVector trie = kGood;
  trie[12] = 6;
  EXPECT_FALSE(macho::exportNames(trie));
  trie[12] = 0;
  EXPECT_FALSE(macho::exportNames(trie));
}

TEST(ExportTrie, AnEdgeOutOfBoundsIsRefused) {
  ByteVector trie = kGood;
  trie[12] = 0x7f;
  EXPECT_FALSE(macho::exportNames(trie));
}

TEST(ExportTrie, NamesAreFoundInAnyOrder) {
  macho::ExportFinder finder(kGood);
  for (llvm::StringRef name : {"_ab", "_a", "_ab", "_a"})
    EXPECT_TRUE(finder.find(name)) << name.str();
}

TEST(ExportTrie, OtherNamesAreNotFoundAfterAnyLookup) {
  macho::ExportFinder finder(kGood);
  for (llvm::StringRef name : {"_abc", "", "_", "_b", "_ac", "_aa", "a"}) {
    EXPECT_FALSE(finder.find(name)) << name.str();
    EXPECT_TRUE(finder.find("_ab"));
  }
}

// A node that leads to itself by an edge without letters.
TEST(ExportTrie, ACycleOfEmptyEdgesEnds) {
  const ByteVector trie = {0, 1, 0, 0, 0};
  EXPECT_FALSE(macho::ExportFinder(trie).find("_a"));
}

TEST(ExportTrie, SurvivesAnyByte) {
  for (size_t i = 0; i < kGood.size(); ++i)
    for (int value = 0; value < 256; ++value) {
      ByteVector trie = kGood;
      trie[i] = static_cast<uint8_t>(value);
      macho::exportNames(GuardedBytes(trie));
      macho::exportNames(GuardedBytes(Bytes(trie).take_front(i)));
      GuardedBytes guarded(trie);
      macho::ExportFinder finder(guarded);
      for (llvm::StringRef name : {"_a", "_ab", "_abc"})
        finder.find(name);
    }
}

} // namespace
} // namespace tcfix::support
