// Several files change together or not at all.

#include "commit/transaction.h"
#include "support/failing_disk.h"
#include "support/folder_tree.h"
#include "support/outcomes.h"
#include "support/places.h"
#include "support/posix_file.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using commit::Step;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::string textIn(const std::string& path) {
  return textOf(readFile(path)).str();
}

class Transaction : public testing::Test {
protected:
  const io::InputFile& open(const std::string& path) {
    return *inputs.emplace_back(
        std::make_unique<io::InputFile>(valueOf(io::InputFile::open(path))));
  }
  void replace(const std::string& path, const std::string& text) {
    const io::InputFile& old = open(path);
    steps.push_back(llvm::cantFail(
        Step::replace(old, placeOf(path), differenceOf(old.bytes(), bytesOf(text), "test"))));
  }

  io::Place newPlace(const std::string& name) {
    return llvm::cantFail(io::Place::below(placeOf(tree.path("x")).directory, name));
  }

  FolderTree tree;
  std::vector<std::unique_ptr<io::InputFile>> inputs;
  commit::Phase steps;
};

TEST_F(Transaction, CommitsEveryKindOfStep) {
  std::string a = tree.file("a", "old a"), b = tree.file("b", "old b"), c = tree.file("c");
  std::string d = tree.file("d", "old d");
  replace(a, "new a");
  steps.push_back(Step::link(open(b), placeOf(b), "a"));
  steps.push_back(Step::remove(placeOf(c)));
  steps.push_back(Step::join(open(d), placeOf(d), placeOf(a)));
  steps.push_back(llvm::cantFail(Step::write(nullptr, newPlace("deep/e"), "new e")));
  EXPECT_EQ(textIn(a), "old a"); // only staged
  ASSERT_FALSE(static_cast<bool>(commit::commitTogether(steps)));
  steps.clear();
  EXPECT_EQ(textIn(a), "new a");
  EXPECT_EQ(io::system::readLink(b), "a");
  EXPECT_EQ(inodeOf(d), inodeOf(a));
  EXPECT_EQ(textIn(tree.path("deep/e")), "new e");
  EXPECT_THAT(tree.names(), UnorderedElementsAre("a", "b", "d", "deep"));
}

TEST_F(Transaction, RollsBackWhenAStepFails) {
  std::string a = tree.file("a", "old a"), c = tree.file("c", "old c"), e = tree.file("e", "old e");
  std::string b = tree.link("b", "folder/b"), d = tree.file("d", "old d");
  ASSERT_EQ(::chmod(a.c_str(), 0640), 0);
  int64_t time = modifiedNs(a);
  steps.push_back(llvm::cantFail(Step::write(nullptr, newPlace("f"), "new f")));
  replace(a, "new a");
  tree.file("folder/b", "old b");
  replace(b, "a file now"); // a link is replaced by a file
  steps.push_back(Step::remove(placeOf(c)));
  steps.push_back(Step::join(open(d), placeOf(d), placeOf(a)));
  replace(e, "new e");
  tree.write("e", bytesOf("somebody else was faster"));
  llvm::Error error = commit::commitTogether(steps);
  Problem problem = toProblem(std::move(error), {});
  EXPECT_EQ(problem.code, ErrorCode::ChangedMeanwhile);
  EXPECT_EQ(problem.path, e);
  steps.clear(); // staged files that are not committed are removed
  EXPECT_EQ(textIn(a), "old a");
  EXPECT_EQ(modifiedNs(a), time);
  EXPECT_EQ(statusOf(a).st_mode & 07777, 0640u);
  EXPECT_EQ(io::system::readLink(b), "folder/b");
  EXPECT_EQ(textIn(c), "old c");
  EXPECT_EQ(textIn(d), "old d");
  EXPECT_EQ(textIn(e), "somebody else was faster");
  EXPECT_THAT(tree.names(), UnorderedElementsAre("a", "b", "c", "d", "e", "folder"));
}

TEST_F(Transaction, ALaterPhaseThatFailsRevertsTheEarlierOnes) {
  std::string a = tree.file("a", "old a"), b = tree.file("b", "old b"), c = tree.file("c", "old c");
  ASSERT_EQ(::chmod(c.c_str(), 0640), 0);
  ino_t inode = inodeOf(c);
  commit::Phase phases[3];
  phases[0].push_back(llvm::cantFail(Step::write(nullptr, newPlace("new/journal"), "journal")));
  phases[1].push_back(llvm::cantFail(Step::write(&open(a), placeOf(a), "new a")));
  phases[1].push_back(Step::remove(placeOf(c)));
  phases[2].push_back(llvm::cantFail(Step::write(&open(b), placeOf(b), "new b")));
  tree.write("b", bytesOf("somebody else was faster"));
  EXPECT_EQ(toProblem(commit::commitTogether(phases), {}).path, b);
  for (commit::Phase& phase : phases)
    phase.clear();
  EXPECT_EQ(textIn(a), "old a");
  EXPECT_EQ(inodeOf(c), inode) << "a removed file is restored with its inode";
  EXPECT_THAT(tree.names(), UnorderedElementsAre("a", "b", "c")) << "a new directory is removed";
}

TEST_F(Transaction, AFileThatIsNotCommittedLeavesNothing) {
  {
    llvm::Expected<Step> step = Step::create(nullptr, newPlace("new/deep/f"));
    ASSERT_TRUE(static_cast<bool>(step));
    EXPECT_THAT(tree.names(), UnorderedElementsAre("new"));
  }
  EXPECT_TRUE(tree.names().empty());
  EXPECT_FALSE(llvm::expectedToOptional(io::Place::of(tree.path("x/f"))).has_value());
  EXPECT_TRUE(tree.names().empty());
}

TEST_F(Transaction, FilesCanBeCommittedSeparately) {
  std::string a = tree.file("a", "old a"), b = tree.file("b", "old b"), c = tree.file("c", "old c");
  for (const std::string& path : {a, b, c})
    replace(path, "new");
  tree.write("b", bytesOf("somebody else was faster"));
  std::vector<std::optional<commit::CommitFailure>> problems =
      commit::commitEach({&steps[0], &steps[1], &steps[2]});
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_FALSE(problems[0] || problems[2]);
  EXPECT_EQ(problems[1]->problem.code, ErrorCode::ChangedMeanwhile);
  EXPECT_EQ(textIn(a) + textIn(c), "newnew");
  EXPECT_EQ(textIn(b), "somebody else was faster");
}

TEST_F(Transaction, AFullDiskStopsItWhileStaging) {
  SmallDisk disk;
  if (!disk.isThere())
    GTEST_SKIP() << "no permission to mount a small disk";
  std::string a = disk.at().write("a", bytesOf("old a"));
  const io::InputFile& old = open(a);
  disk.fill();
  llvm::Expected<Step> step = Step::replace(
      old, placeOf(a), differenceOf(old.bytes(), bytesOf(std::string(9000, 'x')), "test"));
  ASSERT_FALSE(static_cast<bool>(step));
  EXPECT_THAT(toProblem(step.takeError(), {}).message, HasSubstr("the disk is full"));
  EXPECT_THAT(disk.at().names(), UnorderedElementsAre("a", "filler"));
  EXPECT_EQ(textIn(a), "old a");
}

TEST_F(Transaction, AReadOnlyDirectoryRefusesANewFile) {
  std::string a = tree.file("folder/a", "old a");
  const io::InputFile& old = open(a);
  FrozenFolder frozen(tree.path("folder"));
  if (!frozen.isThere())
    GTEST_SKIP() << "cannot make a directory read-only for this user";
  llvm::Expected<Step> step =
      Step::replace(old, placeOf(a), differenceOf(old.bytes(), bytesOf("new a"), "test"));
  ASSERT_FALSE(static_cast<bool>(step));
  EXPECT_EQ(toProblem(step.takeError(), {}).code, ErrorCode::CannotWrite);
}

} // namespace
} // namespace tcfix::support
