// Editing files on disk.

#include "apply/editing.h"
#include "support/failing_disk.h"

#include <gmock/gmock.h>

#include <csignal>

namespace tcfix::support {
namespace {

using apply::FileStatus;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(EditFiles, ChangesAFileAndKeepsItsMode) {
  TemporaryFolder folder;
  std::string path = folder.write("libdemo.dylib", library());
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  ino_t inode = inodeOf(path);
  apply::EditRun run = addingRpath({path}, "/opt/a");
  ASSERT_EQ(run.files.size(), 1u);
  EXPECT_EQ(run.files[0].status, FileStatus::Changed);
  EXPECT_TRUE(run.problems.empty());
  EXPECT_NE(inodeOf(path), inode);
  EXPECT_EQ(statusOf(path).st_mode & 07777, 0755u);
  EXPECT_THAT(sliceOf(readFile(path)).searchPaths, ElementsAre("/opt/a"));
  EXPECT_TRUE(signatureProblems(readFile(path)).empty());
  EXPECT_THAT(folder.names(), ElementsAre("libdemo.dylib"));
}

TEST(EditFiles, ASecondRunKeepsInodeAndTime) {
  TemporaryFolder folder;
  std::string path = folder.write("libdemo.dylib", library());
  addingRpath({path}, "/opt/a");
  ino_t inode = inodeOf(path);
  int64_t modified = modifiedNs(path);
  apply::EditRun again = addingRpath({path}, "/opt/a");
  EXPECT_EQ(again.files[0].status, FileStatus::Unchanged);
  EXPECT_EQ(inodeOf(path), inode);
  EXPECT_EQ(modifiedNs(path), modified);
}

TEST(EditFiles, ADryRunShowsBothSidesAndWritesNothing) {
  TemporaryFolder folder;
  std::string path = folder.write("libdemo.dylib", library());
  ino_t inode = inodeOf(path);
  apply::EditOptions options = journalling(folder.path("journal"));
  options.isDryRun = true;
  apply::EditRun run = addingRpath({path}, "/opt/a", options);
  EXPECT_EQ(run.files[0].status, FileStatus::WouldChange);
  ASSERT_TRUE(run.files[0].before && run.files[0].after);
  EXPECT_TRUE(run.files[0].before->slices[0].searchPaths.empty());
  EXPECT_THAT(run.files[0].after->slices[0].searchPaths, ElementsAre("/opt/a"));
  EXPECT_EQ(inodeOf(path), inode);
  EXPECT_THAT(folder.names(), ElementsAre("libdemo.dylib"));
}

TEST(EditFiles, AHardLinkIsNotChanged) {
  TemporaryFolder cache, environment;
  std::string twin = cache.write("libdemo.dylib", library());
  std::string path = environment.path("libdemo.dylib");
  ASSERT_EQ(::link(twin.c_str(), path.c_str()), 0);
  addingRpath({path}, "/opt/a");
  EXPECT_TRUE(readFile(twin) == library());
  EXPECT_FALSE(readFile(path) == library());
}

TEST(EditFiles, FollowsALinkToTheRealFile) {
  TemporaryFolder folder, elsewhere;
  std::string real = elsewhere.write("libdemo.1.dylib", library());
  std::string link = folder.path("libdemo.dylib");
  ASSERT_EQ(::symlink(real.c_str(), link.c_str()), 0);
  EXPECT_EQ(addingRpath({link}, "/opt/a").files[0].status, FileStatus::Changed);
  EXPECT_TRUE(S_ISLNK(statusOf(link).st_mode));
  EXPECT_THAT(sliceOf(readFile(real)).searchPaths, ElementsAre("/opt/a"));
}

TEST(EditFiles, AFileGivenTwiceIsEditedOnce) {
  TemporaryFolder folder;
  std::string path = folder.write("libdemo.dylib", library());
  std::string link = folder.path("link.dylib");
  ASSERT_EQ(::symlink("libdemo.dylib", link.c_str()), 0);
  EXPECT_EQ(addingRpath({path, link, folder.path() + "/./libdemo.dylib"}, "/a").files.size(), 1u);
}

TEST(EditFiles, OneBadFileDoesNotStopTheOthers) {
  TemporaryFolder folder;
  ByteVector cut = library();
  cut.resize(300);
  std::string first = folder.write("first.dylib", library());
  std::string bad = folder.write("bad.dylib", cut);
  std::string text = folder.write("text.txt", bytesOf("hello"));
  std::string last = folder.write("last.dylib", library());
  apply::EditRun run = addingRpath({first, bad, text, folder.path("absent"), last}, "/opt/a");
  std::vector<FileStatus> statuses;
  for (const apply::FileOutcome& file : run.files)
    statuses.push_back(file.status);
  EXPECT_THAT(statuses, ElementsAre(FileStatus::Changed, FileStatus::Failed, FileStatus::Failed,
                                    FileStatus::Failed, FileStatus::Changed));
  EXPECT_EQ(run.files[1].problem->code, ErrorCode::Malformed);
  EXPECT_EQ(run.files[2].problem->code, ErrorCode::NotALibrary);
  EXPECT_EQ(run.files[3].problem->code, ErrorCode::NotFound);
  EXPECT_TRUE(readFile(bad) == cut);
  EXPECT_THAT(folder.names(),
              UnorderedElementsAre("first.dylib", "bad.dylib", "text.txt", "last.dylib"));
}

TEST(EditFiles, AcceptsAnyNameThatTheSystemAllows) {
  TemporaryFolder folder;
  for (const std::string& name :
       {std::string("with space.dylib"), std::string("with\nnew\nline.dylib"),
        std::string("übér-路径-🎬.dylib"), std::string("-n"), std::string("'\"$(x)`\\.dylib"),
        std::string("\xff\xfe not UTF-8.dylib"), std::string(255, 'n')}) {
    std::string path = folder.write(name, library());
    apply::EditRun run = addingRpath({path}, "/opt/a", journalling(folder.path("journal")));
    EXPECT_EQ(run.files[0].status, FileStatus::Changed) << name;
    EXPECT_THAT(sliceOf(readFile(path)).searchPaths, ElementsAre("/opt/a"));
  }
}

TEST(EditFiles, AcceptsAPathOfNearlyFourThousandBytes) {
  TemporaryFolder folder;
  std::string deep = folder.path();
  while (deep.size() < 3700) {
    deep += "/" + std::string(200, 'd');
    ASSERT_EQ(::mkdir(deep.c_str(), 0755), 0);
  }
  std::string path = deep + "/" + std::string(3990 - deep.size(), 'n').substr(0, 250);
  folder.write(path.substr(folder.path().size() + 1), library());
  EXPECT_EQ(addingRpath({path}, "/opt/a").files[0].status, FileStatus::Changed);
  EXPECT_EQ(addingRpath({path + std::string(5000, 'x')}, "/opt/a").files[0].status,
            FileStatus::Failed);
}

TEST(EditFiles, AFullDiskLeavesTheFileUnchanged) {
  SmallDisk disk;
  if (!disk.isThere())
    GTEST_SKIP() << "no permission to mount a small disk";
  std::string path = disk.at().write("libdemo.dylib", library());
  disk.fill();
  apply::EditRun run = addingRpath({path}, "/opt/a");
  ASSERT_EQ(run.files[0].status, FileStatus::Failed);
  EXPECT_THAT(run.files[0].problem->message, HasSubstr("the disk is full"));
  EXPECT_TRUE(readFile(path) == library());
  EXPECT_THAT(disk.at().names(), UnorderedElementsAre("libdemo.dylib", "filler"));
}

TEST(EditFiles, AReadOnlyDirectoryLeavesTheFileUnchanged) {
  TemporaryFolder folder;
  std::string path = folder.write("libdemo.dylib", library());
  FrozenFolder frozen(folder.path());
  if (!frozen.isThere())
    GTEST_SKIP() << "cannot make a directory read-only for this user";
  apply::EditRun run = addingRpath({path}, "/opt/a");
  ASSERT_EQ(run.files[0].status, FileStatus::Failed);
  EXPECT_EQ(run.files[0].problem->code, ErrorCode::CannotWrite);
  EXPECT_TRUE(readFile(path) == library());
}

TEST(EditFiles, AnInterruptLeavesEveryFileUnchanged) {
  TemporaryFolder folder;
  std::string path = folder.write("libdemo.dylib", library());
  // In a separate process: the flag cannot be reset.
  Process process([&] {
    io::system::watchForInterrupts();
    ::raise(SIGINT);
    apply::EditRun run = addingRpath({path}, "/opt/a");
    return run.files[0].status == FileStatus::Failed &&
           run.files[0].problem->code == ErrorCode::Interrupted;
  });
  EXPECT_TRUE(process.succeeds());
  EXPECT_TRUE(readFile(path) == library());
  EXPECT_THAT(folder.names(), ElementsAre("libdemo.dylib"));
}

} // namespace
} // namespace tcfix::support
