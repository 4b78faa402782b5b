// The journal's format: journals of earlier versions are read, and written in the same form.

#include "commit/journal.h"
#include "support/outcomes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::ElementsAre;

// Verbatim output of tcfix 1: an edit by apply of a link, after the file was replaced.
constexpr llvm::StringLiteral kWritten =
    R"({"entries":[{"changed_size":"14","modified_ns":"1794978405132468690","moves":[],)"
    R"("original_size":"12","patches":[{"bytes":"746865206f726967696e616c","offset":"0"}],)"
    R"("path":"pkg/lib.so","sha256_after":"45352a9aaa81bf0347a2b09e3b5c96be88fe358f001f4719d6380e605f0dd4ba",)"
    R"("sha256_before":"65892be10983370462badce4d0fa9c9dee0cf6f5173e07f5ea53d763c818b826"},)"
    R"({"changed_size":"20","link":"../cache/lib.so","modified_ns":"-5",)"
    R"("moves":[{"from":"4","length":"6","to":"2"}],"original_size":"14",)"
    R"("patches":[{"bytes":"00ff","offset":"0"}],"path":"hex:6c6962ff2e736f",)"
    R"("plan":{"dependencies":[{"kind":"0","name":"libc10.so"},{"kind":"4","name":"av.dll"}],)"
    R"("device":"64768","inode":"18446744073709551615","modified_ns":"1794978405132468691",)"
    R"("search_path_kind":"runpath","search_paths":[{"path":"$ORIGIN/../torch/lib"}],)"
    R"("size":"20","wishes":"add_rpath /opt/lib\n"},"sha256_after":"22","sha256_before":"11"}],)"
    R"("journal":1})"
    "\n";

TEST(JournalText, OfAnEarlierVersionIsRead) {
  commit::Journal journal = valueOf(commit::parseJournal(kWritten));
  ASSERT_EQ(journal.entries.size(), 2u);
  const commit::JournalEntry &first = journal.entries[0], &second = journal.entries[1];
  EXPECT_EQ(first.path, "pkg/lib.so");
  EXPECT_EQ(first.modifiedNs, 1794978405132468690);
  EXPECT_FALSE(first.plan);
  EXPECT_EQ(textOf(rewritten(first.reverse, bytesOf("changed bytes!"))), "the original");
  EXPECT_EQ(second.path, "lib\xff.so");
  EXPECT_EQ(second.link, "../cache/lib.so");
  EXPECT_EQ(second.modifiedNs, -5);
  ASSERT_EQ(second.reverse.moves.size(), 1u);
  EXPECT_EQ(second.reverse.moves[0].to, 2u);
  ASSERT_TRUE(second.plan);
  EXPECT_EQ(second.plan->editsText, "add_rpath /opt/lib\n");
  EXPECT_EQ(second.plan->stamp.inode, UINT64_MAX);
  EXPECT_EQ(second.plan->dependencies[1].kind, DependencyKind::Delay);
  EXPECT_THAT(second.plan->searchPaths, ElementsAre("$ORIGIN/../torch/lib"));
  EXPECT_EQ(second.plan->searchPathKind, SearchPathKind::Runpath);
}

TEST(JournalText, IsWrittenAsEarlierVersionsReadIt) {
  EXPECT_EQ(valueOf(commit::journalText(valueOf(commit::parseJournal(kWritten)))), kWritten);
}

commit::JournalEntry entryFor(Bytes changed, Bytes original) {
  commit::JournalEntry entry;
  entry.path = "file";
  entry.sha256Before = "before";
  entry.sha256After = "after";
  entry.reverse = differenceOf(changed, original, "undo");
  return entry;
}

// Such as a DLL whose appended sections were removed: the padding at their end is zeros.
TEST(JournalText, OfAnOriginalThatEndsWithZerosIsRead) {
  const ByteVector changed(10, 1);
  ByteVector original(10, 1);
  original.push_back(2);
  original.resize(5000);
  const commit::Journal written{{entryFor(changed, original)}};
  commit::Journal journal = valueOf(commit::parseJournal(valueOf(commit::journalText(written))));
  ASSERT_EQ(journal.entries.size(), 1u);
  EXPECT_EQ(rewritten(journal.entries[0].reverse, changed), original);
}

TEST(JournalText, IsNotWrittenIfItCouldNotBeRead) {
  commit::Journal journal{{entryFor(ByteVector(10, 1), ByteVector(10, 2))}};
  journal.entries[0].sha256After = "before";
  EXPECT_THAT(problemOf(commit::journalText(journal)).message,
              testing::HasSubstr("cannot describe"));
}

std::vector<std::string> originsOf(std::vector<std::pair<const char*, const char*>> changes,
                                   const char* now) {
  commit::Journal journal;
  for (const auto& [before, after] : changes) {
    commit::JournalEntry& entry = journal.entries.emplace_back();
    entry.path = "file";
    entry.sha256Before = before;
    entry.sha256After = after;
  }
  std::vector<std::string> origins;
  for (const commit::JournalEntry& entry : commit::historyOf(journal, "file", now))
    origins.push_back(entry.sha256Before);
  return origins;
}

TEST(JournalHistory, ConnectsTheOriginalToTheBytes) {
  EXPECT_THAT(originsOf({{"a", "b"}, {"b", "c"}}, "c"), ElementsAre("a", "b"));
  EXPECT_THAT(originsOf({{"a", "b"}, {"b", "c"}}, "b"), ElementsAre("a"));
  // Two plans from one original, as left by a killed run.
  EXPECT_THAT(originsOf({{"a", "b"}, {"a", "c"}}, "b"), ElementsAre("a"));
  // Replaced by another program between two edits.
  EXPECT_THAT(originsOf({{"a", "b"}, {"d", "e"}}, "e"), ElementsAre("d"));
}

TEST(JournalHistory, IsEmptyForTheOriginalAndForUnknownBytes) {
  EXPECT_THAT(originsOf({{"a", "b"}}, "a"), ElementsAre());
  EXPECT_THAT(originsOf({{"a", "b"}}, "x"), ElementsAre());
  EXPECT_THAT(originsOf({{"a", "b"}, {"b", "a"}}, "a"), ElementsAre());
}

} // namespace
} // namespace tcfix::support
