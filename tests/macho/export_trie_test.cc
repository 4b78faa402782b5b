// Export tries: all names of a valid one, and no crash for an invalid one.

#include "macho/export_trie.h"
#include "support/guarded_bytes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::_;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
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
  EXPECT_THAT(macho::findExports(kGood, {"_ab", "_a", "_ab", "_a"}), Each(Optional(_)));
}

TEST(ExportTrie, OtherNamesAreNotFoundBesideGoodOnes) {
  EXPECT_THAT(macho::findExports(kGood, {"_abc", "", "_", "_b", "_ac", "_aa", "a"}),
              Each(Eq(std::nullopt)));
  for (llvm::StringRef name : {"_abc", "", "_", "_b", "_ac", "_aa", "a"})
    EXPECT_THAT(macho::findExports(kGood, {name, "_ab"}),
                ElementsAre(Eq(std::nullopt), Optional(_)))
        << name.str();
}

// Two edges begin alike: dyld follows the first that fits. An
// edge that comes first and fits only some names leaves the others to the next.
TEST(ExportTrie, TheFirstEdgeThatFitsIsFollowed) {
  const ByteVector first = {0, 2, '_',  0, 10, '_', 'a', 0, 12, 0, // root
                            0, 0,                                  // _
                            2, 0, 0x10, 0};                        // _a
  EXPECT_THAT(macho::findExports(first, {"_a"}), ElementsAre(Eq(std::nullopt)));
  const ByteVector last = {0, 2, '_',  'a', 0,  12, '_', 0, 14, 0, 0, 0, // root
                           0, 0,                                         // _a
                           0, 1, 'b',  0,   19,                          // _
                           2, 0, 0x10, 0};                               // _b
  EXPECT_THAT(macho::findExports(last, {"_a", "_b"}), ElementsAre(Eq(std::nullopt), Optional(_)));
}

// One name is looked up in another way than several.
TEST(ExportTrie, ANameAloneIsFoundLikeAmongOthers) {
  for (llvm::StringRef name : {"_a", "_ab"}) {
    const std::vector<std::optional<macho::TrieEntry>> alone = macho::findExports(kGood, {name});
    EXPECT_THAT(alone, ElementsAre(Optional(_))) << name.str();
  }
  for (llvm::StringRef name : {"_abc", "", "_", "_b", "_ac", "_aa", "a"})
    EXPECT_THAT(macho::findExports(kGood, {name}), ElementsAre(Eq(std::nullopt))) << name.str();
  // Numbers of several bytes, also those of edges that do not fit, and an edge without characters.
  const ByteVector trie = {0, 3,    'x',  0,   0xff, 0x01, '_', 'b',
                           0, 0x90, 0x00, 0,   15,   0,    0, // root
                           0, 1,    '_',  'a', 0,    21,      // ""
                           2, 0,    0x10, 0};                 // _a
  EXPECT_THAT(macho::findExports(trie, {"_a"}), ElementsAre(Optional(_)));
  EXPECT_THAT(macho::findExports(trie, {"_a", "_c"}), ElementsAre(Optional(_), Eq(std::nullopt)));
}

// A node that leads to itself by an edge without characters.
TEST(ExportTrie, ACycleOfEmptyEdgesEnds) {
  const ByteVector trie = {0, 1, 0, 0, 0};
  EXPECT_THAT(macho::findExports(trie, {"_a", ""}), Each(Eq(std::nullopt)));
}

TEST(ExportTrie, SurvivesAnyByte) {
  for (size_t i = 0; i < kGood.size(); ++i)
    for (int value = 0; value < 256; ++value) {
      ByteVector trie = kGood;
      trie[i] = static_cast<uint8_t>(value);
      macho::exportNames(GuardedBytes(trie));
      macho::exportNames(GuardedBytes(Bytes(trie).take_front(i)));
      GuardedBytes guarded(trie);
      macho::findExports(guarded, {"_a", "_ab", "_abc"});
    }
}

} // namespace
} // namespace tcfix::support
