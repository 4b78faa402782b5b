// Staged files: the old inode is never written, all attributes are kept, and nothing changes before
// the commit.

#include "commit/transaction.h"
#include "support/failing_disk.h"
#include "support/folder_tree.h"
#include "support/places.h"
#include "support/posix_file.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

io::InputFile opened(const std::string& path) {
  llvm::Expected<io::InputFile> file = io::InputFile::open(path);
  EXPECT_TRUE(bool(file));
  return std::move(*file);
}

// Changes the first byte to an X and appends a tail.
Rewrite someRewrite(Bytes original) {
  Rewrite rewrite = identityOf(original);
  put(rewrite, original, 0, bytesOf("X"), "first byte");
  put(rewrite, original, original.size(), bytesOf("tail"), "tail");
  seal(rewrite);
  return rewrite;
}

llvm::Error replace(const std::string& path) {
  io::InputFile file = opened(path);
  llvm::Expected<commit::Step> staged =
      commit::Step::replace(file, placeOf(file.path()), someRewrite(file.bytes()));
  if (!staged)
    return staged.takeError();
  if (llvm::Error error = staged->sync())
    return error;
  return staged->commit();
}

TEST(StagedFile, ReplacesTheFileWithANewInode) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("content"));
  ino_t before = inodeOf(path);
  ASSERT_FALSE(bool(replace(path)));
  EXPECT_EQ(textOf(readFile(path)), "Xontenttail");
  EXPECT_NE(inodeOf(path), before);
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

// The name of a new file is made from a template in which % is replaced by a letter.
TEST(StagedFile, AcceptsAPercentSignInAPath) {
  FolderTree folder;
  std::string path = folder.file("My%20Project/file");
  ASSERT_FALSE(bool(replace(path)));
  EXPECT_EQ(textOf(readFile(path)), "Xontenttail");
}

TEST(StagedFile, WritesMovesShrinksAndGrows) {
  TemporaryFolder folder;
  ByteVector original(100'000);
  for (size_t i = 0; i < original.size(); ++i)
    original[i] = static_cast<uint8_t>(i * 31 >> 3);
  Rewrite moving = identityOf(original);
  moving.moves.push_back({40'000, 50'000, 60'000, "moves"}); // overlapping its old range
  moving.newSize = 110'000;
  put(moving, original, 40'000, ByteVector(10'000, 7), "fills the gap");
  seal(moving);
  Rewrite shrinking = identityOf(original);
  shrinking.newSize = 1234;
  for (const Rewrite& rewrite : {moving, shrinking}) {
    io::InputFile file = opened(folder.write("file", original));
    llvm::Expected<commit::Step> staged =
        commit::Step::replace(file, placeOf(file.path()), rewrite);
    ASSERT_TRUE(bool(staged));
    EXPECT_TRUE(readFile(staged->staged()->path()) == rewritten(rewrite, original));
  }
}

TEST(StagedFile, AHardLinkedTwinIsNotChanged) {
  TemporaryFolder cache, environment;
  std::string twin = cache.write("file", bytesOf("content"));
  std::string path = environment.path("file");
  ASSERT_EQ(::link(twin.c_str(), path.c_str()), 0);
  int64_t modified = modifiedNs(twin);
  ASSERT_FALSE(bool(replace(path)));
  EXPECT_EQ(textOf(readFile(twin)), "content");
  EXPECT_EQ(modifiedNs(twin), modified);
  EXPECT_NE(inodeOf(twin), inodeOf(path));
}

TEST(StagedFile, ASymbolicLinkStaysALink) {
  TemporaryFolder folder;
  std::string real = folder.write("real", bytesOf("content"));
  std::string link = folder.path("link");
  ASSERT_EQ(::symlink("real", link.c_str()), 0);
  ASSERT_FALSE(bool(replace(link)));
  EXPECT_TRUE(S_ISLNK(statusOf(link).st_mode));
  EXPECT_EQ(textOf(readFile(real)), "Xontenttail");
}

TEST(StagedFile, KeepsModeAndOwner) {
  for (mode_t mode : {0644, 0755, 0600, 0444}) {
    TemporaryFolder folder;
    std::string path = folder.write("file", bytesOf("content"));
    if (::geteuid() == 0) {
      ASSERT_EQ(::chown(path.c_str(), 12345, 54321), 0);
    }
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    struct stat before = statusOf(path);
    ASSERT_FALSE(bool(replace(path)));
    EXPECT_EQ(statusOf(path).st_mode, before.st_mode);
    EXPECT_EQ(statusOf(path).st_uid, before.st_uid);
    EXPECT_EQ(statusOf(path).st_gid, before.st_gid);
  }
}

TEST(StagedFile, NeverKeepsSetuid) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("content"));
  ASSERT_EQ(::chmod(path.c_str(), 06755), 0);
  ASSERT_FALSE(bool(replace(path)));
  EXPECT_EQ(statusOf(path).st_mode & 07777, 0755u);
}

TEST(StagedFile, OfRootBelongsToTheOwnerOfTheDirectory) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can change the owner of files";
  FolderTree folder;
  std::string path = folder.file("theirs/file");
  ASSERT_EQ(::chown(folder.path("theirs").c_str(), 12345, 54321), 0);
  ASSERT_FALSE(bool(replace(path)));
  ASSERT_FALSE(bool(commit::writeFile(nullptr, placeOf(folder.path("theirs/new")), "new")));
  io::Place deep = llvm::cantFail(
      io::Place::below(placeOf(folder.path("theirs/x")).directory, "made/deep/file"));
  ASSERT_FALSE(bool(commit::writeFile(nullptr, deep, "new")));
  for (const char* name : {"file", "new", "made", "made/deep", "made/deep/file"}) {
    struct stat status = statusOf(folder.path(std::string("theirs/") + name));
    EXPECT_EQ(status.st_uid, 12345u) << name;
    EXPECT_EQ(status.st_gid, 54321u) << name;
  }
  // A file that the directory's owner cannot read is not given to that user.
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(toProblem(replace(path), {}).code, ErrorCode::Unsupported);
  EXPECT_EQ(statusOf(path).st_uid, 0u);
}

TEST(StagedFile, IsCreatedInTheOpenedDirectory) {
  FolderTree folder;
  std::string path = folder.file("real/file"), victim = folder.file("elsewhere/file", "victim");
  io::InputFile file = opened(path);
  io::Place place = placeOf(path);
  // Another user replaces the directory with a link.
  ASSERT_EQ(::rename(folder.path("real").c_str(), folder.path("aside").c_str()), 0);
  ASSERT_EQ(::symlink("elsewhere", folder.path("real").c_str()), 0);
  llvm::Expected<commit::Step> step = commit::Step::replace(file, place, someRewrite(file.bytes()));
  // The file that was read is no longer at its path.
  EXPECT_FALSE(bool(step));
  llvm::consumeError(step.takeError());
  ASSERT_FALSE(bool(commit::writeFile(nullptr, place, "new")));
  EXPECT_EQ(textOf(readFile(victim)), "victim");
  EXPECT_EQ(textOf(readFile(folder.path("aside/file"))), "new");
  llvm::Expected<io::Directory> through = io::Directory::open(folder.path("real"));
  EXPECT_FALSE(bool(through)) << "a link is not a directory";
  llvm::consumeError(through.takeError());
}

TEST(StagedFile, KeepsExtendedAttributes) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("content"));
  if (!setAttribute(path, "user.tcfix.test", "kept"))
    GTEST_SKIP() << "this file system has no extended attributes";
  ASSERT_TRUE(setAttribute(path, "user.empty", ""));
  ASSERT_FALSE(bool(replace(path)));
  EXPECT_EQ(attributeOf(path, "user.tcfix.test"), "kept");
}

TEST(StagedFile, LeavesNothingIfNotCommitted) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("content"));
  {
    io::InputFile file = opened(path);
    llvm::Expected<commit::Step> staged =
        commit::Step::replace(file, placeOf(file.path()), someRewrite(file.bytes()));
    ASSERT_TRUE(bool(staged));
    EXPECT_EQ(folder.names().size(), 2u) << "the new file is beside the old one";
    EXPECT_EQ(textOf(readFile(path)), "content");
  }
  EXPECT_THAT(folder.names(), ElementsAre("file"));
  EXPECT_EQ(textOf(readFile(path)), "content");
}

struct Meddling {
  const char* name;
  void (*meddle)(const TemporaryFolder& folder, const std::string& path);
};

class StagedMeanwhile : public testing::TestWithParam<Meddling> {};

TEST_P(StagedMeanwhile, AConcurrentChangeIsNotLost) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("content"));
  {
    io::InputFile file = opened(path);
    llvm::Expected<commit::Step> staged =
        commit::Step::replace(file, placeOf(file.path()), someRewrite(file.bytes()));
    ASSERT_TRUE(bool(staged));
    GetParam().meddle(folder, path);
    EXPECT_EQ(toProblem(staged->commit(), {}).code, ErrorCode::ChangedMeanwhile);
  }
  EXPECT_EQ(textOf(readFile(path)), "CONTENT");
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

INSTANTIATE_TEST_SUITE_P(
    Commit, StagedMeanwhile,
    testing::Values(Meddling{"Replaced",
                             [](const TemporaryFolder& folder, const std::string& path) {
                               std::string other = folder.write("other", bytesOf("CONTENT"));
                               ASSERT_EQ(::rename(other.c_str(), path.c_str()), 0);
                             }},
                    Meddling{"Overwritten",
                             [](const TemporaryFolder& folder, const std::string&) {
                               ::usleep(20'000); // file times have a coarse resolution
                               folder.write("file", bytesOf("CONTENT"));
                             }}),
    [](const auto& param) { return param.param.name; });

TEST(StagedFile, ARemovedFileIsNotRestored) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("content"));
  io::InputFile file = opened(path);
  {
    llvm::Expected<commit::Step> staged =
        commit::Step::replace(file, placeOf(file.path()), someRewrite(file.bytes()));
    ASSERT_TRUE(bool(staged));
    ASSERT_EQ(::unlink(path.c_str()), 0);
    EXPECT_EQ(toProblem(staged->commit(), {}).code, ErrorCode::ChangedMeanwhile);
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(StagedFile, AFullDiskIsReportedAndNothingChanges) {
  SmallDisk disk;
  if (!disk.isThere())
    GTEST_SKIP() << "no permission to mount a small disk";
  ByteVector content(100'000, 'c');
  std::string path = disk.at().write("file", content);
  disk.fill();
  Problem problem = toProblem(replace(path), path);
  EXPECT_EQ(problem.code, ErrorCode::CannotWrite);
  EXPECT_THAT(problem.message, HasSubstr("the disk is full"));
  EXPECT_THAT(problem.hint, HasSubstr("free some space"));
  EXPECT_TRUE(readFile(path) == content);
  EXPECT_THAT(disk.at().names(), UnorderedElementsAre("file", "filler"));
}

TEST(StagedFile, ChecksFreeSpaceBeforeWriting) {
  SmallDisk disk;
  if (!disk.isThere())
    GTEST_SKIP() << "no permission to mount a small disk";
  ByteVector content(300'000, 'c');
  std::string path = disk.at().write("file", content);
  EXPECT_THAT(toProblem(replace(path), path).message,
              testing::MatchesRegex("the disk is full: 29. KiB needed, 21. KiB free"));
  EXPECT_THAT(disk.at().names(), ElementsAre("file"));
}

// A rollback copies in user space: the old file no longer has a name.
TEST(StagedFile, KeepsHolesInBothDirections) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("content"));
  constexpr off_t kSize = off_t(64) << 20;
  ASSERT_EQ(::truncate(path.c_str(), kSize), 0);
  if (statusOf(path).st_blocks * 512 > kSize / 2)
    GTEST_SKIP() << "this file system has no sparse files";
  io::InputFile file = opened(path);
  Rewrite rewrite = identityOf(file.bytes());
  put(rewrite, file.bytes(), 0, bytesOf("X"), "test");
  llvm::Expected<commit::Step> staged = commit::Step::replace(file, placeOf(file.path()), rewrite);
  ASSERT_TRUE(bool(staged));
  ASSERT_FALSE(bool(staged->sync()));
  ASSERT_FALSE(bool(staged->commit()));
  EXPECT_LT(statusOf(path).st_blocks, 1000);
  EXPECT_EQ(statusOf(path).st_size, kSize);
  ASSERT_FALSE(bool(staged->rollBack()));
  EXPECT_LT(statusOf(path).st_blocks, 1000);
  EXPECT_EQ(statusOf(path).st_size, kSize);
  EXPECT_EQ(textOf(opened(path).bytes()).take_front(8), llvm::StringRef("content\0", 8));
}

TEST(StagedFile, DetectsATruncationEvenIfTheStampIsRestored) {
  io::watchForTornFiles();
  TemporaryFolder folder;
  ByteVector content(100'000, 'c');
  std::string path = folder.write("file", content);
  io::InputFile file = opened(path);
  const int64_t written = modifiedNs(path);
  const struct timespec time = {written / 1'000'000'000, written % 1'000'000'000};
  const struct timespec times[] = {time, time};
  llvm::Expected<commit::Step> staged =
      commit::Step::replace(file, placeOf(file.path()), someRewrite(file.bytes()));
  ASSERT_TRUE(bool(staged));
  ASSERT_EQ(::truncate(path.c_str(), 10), 0);
  EXPECT_EQ(file.bytes().back(), 0);
  folder.write("file", content);
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_EQ(toProblem(staged->commit(), {}).message, "changed while it was being read");
  EXPECT_TRUE(readFile(path) == content);
}

TEST(StagedFile, AReadOnlyDirectoryIsReportedAndNothingChanges) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("content"));
  {
    FrozenFolder frozen(folder.path());
    if (!frozen.isThere())
      GTEST_SKIP() << "cannot make a directory read-only for this user";
    Problem problem = toProblem(replace(path), path);
    EXPECT_EQ(problem.code, ErrorCode::CannotWrite);
    EXPECT_THAT(problem.hint, HasSubstr("write permission for the directory"));
  }
  EXPECT_EQ(textOf(readFile(path)), "content");
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

TEST(WriteFile, ReplacesByANewFileAndLeavesNothingElse) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("old"));
  ino_t before = inodeOf(path);
  ASSERT_FALSE(bool(commit::writeFile(nullptr, placeOf(path), "new content")));
  EXPECT_EQ(textOf(readFile(path)), "new content");
  EXPECT_NE(inodeOf(path), before);
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

TEST(WriteFile, FailsInAMissingDirectory) {
  TemporaryFolder folder;
  llvm::Expected<io::Place> place = io::Place::of(folder.path("absent/file"));
  ASSERT_FALSE(bool(place));
  Problem problem = toProblem(place.takeError(), {});
  EXPECT_EQ(problem.code, ErrorCode::CannotWrite);
  EXPECT_THAT(problem.message, HasSubstr("does not exist"));
}

} // namespace
} // namespace tcfix::support
