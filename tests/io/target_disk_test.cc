// Host paths and target paths: sysroots, links, and names that ignore case.

#include "io/target_disk.h"
#include "support/folder_tree.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using io::TargetDisk;
using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testing::Optional;

class Tree : public testing::Test {
protected:
  FolderTree folder;
};

class Sysroot : public Tree {
protected:
  TargetDisk disk{{.sysroot = folder.path()}};
};

class WindowsSysroot : public Tree {
protected:
  TargetDisk disk{{.sysroot = folder.path(), .isWindows = true}};
};

TEST_F(Tree, IsThisMachinesOwnWithoutASysroot) {
  TargetDisk disk({});
  std::string real = folder.file("a/real");
  std::string alias = folder.link("b/alias", real);
  EXPECT_THAT(disk.hostPath(alias), Optional(alias));
  EXPECT_EQ(disk.targetPath(alias), alias);
  EXPECT_THAT(disk.realPath(alias), Optional(real));
  EXPECT_TRUE(disk.isFile(alias));
  EXPECT_FALSE(disk.isFolder(alias));
  EXPECT_TRUE(disk.isFolder(folder.path("b")));
  EXPECT_THAT(disk.find(folder.path("b"), "../a/real"), Optional(real));
  EXPECT_EQ(disk.hostPath("relative"), std::nullopt);
}

TEST_F(Tree, AbsolutePathsOfAnotherMachineAreUnknown) {
  TargetDisk disk({.knowsAbsolutePaths = false});
  EXPECT_EQ(disk.hostPath("/usr/lib"), std::nullopt);
  std::string real = folder.file("real");
  EXPECT_TRUE(disk.isFile(real)); // the environment itself is still accessible
}

TEST_F(Sysroot, ListsTheKindOfEachEntry) {
  folder.makeFolder("home/sub");
  folder.file("home/file");
  folder.link("home/alias", "sub"); // a link to a directory is not a directory entry
  folder.link("way", "/home");
  for (const char* name : {"home", "way"}) {
    std::vector<std::string> texts;
    for (const io::DirectoryEntry& each : disk.entries(folder.path(name)))
      texts.push_back(each.name + (each.isDirectory() ? "/" : ""));
    EXPECT_THAT(texts, ElementsAre("alias", "file", "sub/"));
  }
  EXPECT_THAT(disk.entries(folder.path("absent")), IsEmpty());
  EXPECT_THAT(disk.remembering().forbidden(), IsEmpty());
}

TEST_F(Tree, ACachingDiskReadsOnce) {
  for (const std::string& sysroot : {std::string(), folder.path()}) {
    std::string file = folder.file("lib/file");
    std::string alias = folder.link("lib/alias", "file");
    const TargetDisk now({.sysroot = sysroot}), disk = now.remembering();
    EXPECT_TRUE(disk.isRemembering());
    EXPECT_FALSE(now.isRemembering());
    EXPECT_THAT(disk.list(folder.path("lib")), ElementsAre("alias", "file"));
    for (const TargetDisk* each : {&now, &disk}) {
      EXPECT_TRUE(each->isFile(alias));
      EXPECT_TRUE(each->isLink(alias));
      EXPECT_FALSE(each->isLink(file));
      EXPECT_FALSE(each->isLink(folder.path("lib/absent")));
      EXPECT_FALSE(each->isFolder(file));
    }
    ASSERT_FALSE(llvm::sys::fs::remove(file));
    EXPECT_TRUE(disk.isFile(file));
    EXPECT_THAT(disk.list(folder.path("lib")), ElementsAre("alias", "file"));
    for (const TargetDisk& each : {now, disk.remembering()}) {
      EXPECT_FALSE(each.isFile(file));
      EXPECT_FALSE(each.isFile(alias));
      EXPECT_TRUE(each.isLink(alias));
      EXPECT_THAT(each.list(folder.path("lib")), ElementsAre("alias"));
    }
    ASSERT_FALSE(llvm::sys::fs::remove(alias));
  }
}

// After a few names, a small directory is listed. What it does not list is absent, unless the disk
// may find it under another spelling.
TEST_F(Sysroot, ASmallDirectoryIsListedOnce) {
  folder.file("lib/libb.so");
  folder.file("lib/liba.so");
  folder.file("lib/sub/libc.so");
  folder.link("lib/alias", "libb.so");
  const TargetDisk caching = disk.remembering();
  for (const char* name : {"absent1", "absent2", "absent3", "absent4"})
    EXPECT_FALSE(caching.find(folder.path("lib"), name)) << name;
  const std::string late = folder.file("lib/late.so"), upper = folder.file("lib/LIBA.SO");
  EXPECT_FALSE(caching.find(folder.path("lib"), "late.so")) << "was not listed";
  EXPECT_THAT(caching.find(folder.path("lib"), "LIBA.SO"), Optional(upper)) << "another case";
  EXPECT_THAT(disk.find(folder.path("lib"), "late.so"), Optional(late));
  ASSERT_FALSE(llvm::sys::fs::remove(folder.path("lib/liba.so")));
  EXPECT_TRUE(caching.isFile(folder.path("lib/liba.so"))) << "was listed";
  EXPECT_TRUE(caching.isLink(folder.path("lib/alias")));
  EXPECT_TRUE(caching.isFile(folder.path("lib/alias")));
  EXPECT_TRUE(caching.isFolder(folder.path("lib/sub")));
  EXPECT_TRUE(caching.isFile(folder.path("lib/sub/libc.so")));
}

// A file system may mount a directory when it is first opened, and does not list it before.
TEST_F(Sysroot, ADirectoryWithoutFilesDoesNotShowWhatIsAbsent) {
  folder.file("net/one/file");
  const TargetDisk caching = disk.remembering();
  for (const char* name : {"absent1", "absent2", "absent3", "absent4"})
    EXPECT_FALSE(caching.find(folder.path("net"), name)) << name;
  folder.file("net/two/file");
  EXPECT_TRUE(caching.isFolder(folder.path("net/two")));
}

TEST_F(Sysroot, ALargeDirectoryIsNotListedForAFewNames) {
  for (int i = 0; i < 300; ++i)
    folder.file("lib/" + std::to_string(i));
  const TargetDisk caching = disk.remembering();
  for (const char* name : {"absent1", "absent2", "absent3", "absent4"})
    EXPECT_FALSE(caching.find(folder.path("lib"), name)) << name;
  folder.file("lib/late.so");
  EXPECT_TRUE(caching.isFile(folder.path("lib/late.so")));
}

TEST_F(Sysroot, IsTheTargetsRoot) {
  std::string library = folder.file("opt/homebrew/lib/libavcodec.61.dylib");
  EXPECT_THAT(disk.hostPath("/opt/homebrew/lib/libavcodec.61.dylib"), Optional(library));
  EXPECT_EQ(disk.targetPath(library), "/opt/homebrew/lib/libavcodec.61.dylib");
  EXPECT_EQ(disk.targetPath(folder.path()), "/");
  EXPECT_EQ(disk.targetPath(folder.path() + "-not/lib"), folder.path() + "-not/lib");
}

TEST_F(Sysroot, ResolvesAbsoluteLinksInside) {
  std::string real = folder.file("opt/homebrew/Cellar/ffmpeg/8.0/lib/libavcodec.62.dylib");
  folder.link("opt/homebrew/opt/ffmpeg", "/opt/homebrew/Cellar/ffmpeg/8.0");
  std::string seen = folder.path("opt/homebrew/opt/ffmpeg/lib/libavcodec.62.dylib");
  EXPECT_THAT(disk.realPath(seen), Optional(real));
  EXPECT_TRUE(disk.isFile(seen));
  EXPECT_THAT(disk.find(folder.path("opt/homebrew/opt/ffmpeg"), "lib"),
              Optional(folder.path("opt/homebrew/opt/ffmpeg/lib")));
  EXPECT_THAT(disk.list(folder.path("opt/homebrew/opt/ffmpeg/lib")),
              ElementsAre("libavcodec.62.dylib"));
  llvm::Expected<io::InputFile> file = disk.open(seen);
  ASSERT_TRUE(bool(file));
  EXPECT_EQ(textOf(file->bytes()), "content");
}

TEST_F(Sysroot, DotsDoNotLeaveIt) {
  std::string inside = folder.file("etc/passwd");
  EXPECT_THAT(disk.hostPath("/../../../etc/passwd"), Optional(inside));
  EXPECT_THAT(disk.realPath(folder.path("../../etc/passwd")), Optional(inside));
  folder.link("out", "../../../etc/passwd");
  EXPECT_THAT(disk.realPath(folder.path("out")), Optional(inside));
  EXPECT_THAT(disk.find(folder.path("etc"), "../../../../etc/passwd"), Optional(inside));
}

TEST_F(Sysroot, DotsAfterALinkAreTheRealParent) {
  std::string sibling = folder.file("real/sibling");
  folder.file("real/folder/x");
  folder.link("elsewhere/link", "/real/folder");
  EXPECT_THAT(disk.hostPath("/elsewhere/link/../sibling"), Optional(sibling));
  EXPECT_THAT(disk.find(folder.path("elsewhere/link"), "../sibling"), Optional(sibling));
  EXPECT_THAT(disk.realPath(folder.path("elsewhere/link/../sibling")), Optional(sibling));
}

TEST_F(Sysroot, RefusesLoopsAndBrokenLinks) {
  for (const std::string& path :
       {folder.link("a", "/b"), folder.link("b", "/a"), folder.link("self", "self/deeper"),
        folder.link("dangling", "/nowhere"), folder.path("absent"),
        folder.file("file") + "/below"}) {
    EXPECT_EQ(disk.realPath(path), std::nullopt) << path;
    EXPECT_FALSE(disk.isFile(path)) << path;
    llvm::Expected<io::InputFile> opened = disk.open(path);
    EXPECT_FALSE(bool(opened)) << path;
    llvm::consumeError(opened.takeError());
  }
  EXPECT_EQ(disk.find(folder.path(), "dangling"), std::nullopt);
  EXPECT_EQ(disk.find(folder.path(), "absent/../file"), std::nullopt);
  EXPECT_THAT(disk.list(folder.path("absent")), IsEmpty());
}

TEST_F(Sysroot, LinksFromAnOutsideEnvironmentLeadInside) {
  TemporaryFolder outside;
  std::string python = folder.file("usr/bin/python3");
  ASSERT_EQ(::symlink("/usr/bin/python3", outside.path("python").c_str()), 0);
  EXPECT_THAT(disk.realPath(outside.path("python")), Optional(python));
  EXPECT_EQ(disk.targetPath(outside.path("python")), outside.path("python"));
}

TEST_F(Sysroot, AdoptsWhatTheUserTyped) {
  TemporaryFolder outside;
  folder.file("data/venv/pyvenv.cfg");
  folder.link("home/venv", "/data/venv");
  ASSERT_EQ(::symlink(folder.path().c_str(), outside.path("mounted").c_str()), 0);
  // This machine's link to the sysroot, then the target's link below it.
  EXPECT_THAT(disk.adopt(outside.path("mounted/home/venv")), Optional(folder.path("data/venv")));
  EXPECT_THAT(disk.adopt(outside.path("mounted")), Optional(folder.path()));
  ASSERT_EQ(::symlink(outside.path().c_str(), outside.path("here").c_str()), 0);
  EXPECT_THAT(disk.adopt(outside.path("here")), Optional(outside.path()));
  EXPECT_EQ(disk.adopt(outside.path("absent")), std::nullopt);
  EXPECT_EQ(disk.adopt(""), std::nullopt);
}

TEST_F(WindowsSysroot, HasDrivesBackslashesAndIgnoresCase) {
  std::string dll = folder.file("C/Tools/FFmpeg/bin/avcodec-61.dll");
  for (const char* path :
       {R"(C:\Tools\FFmpeg\bin\avcodec-61.dll)", R"(c:\tools/ffmpeg\BIN\AVCODEC-61.DLL)",
        R"(\\?\C:\Tools\FFmpeg\bin\avcodec-61.dll)", R"(C:\Tools\x\..\FFmpeg\bin\avcodec-61.dll)"})
    EXPECT_THAT(disk.hostPath(path), Optional(dll)) << path;
  EXPECT_EQ(disk.targetPath(dll), R"(C:\Tools\FFmpeg\bin\avcodec-61.dll)");
  EXPECT_THAT(disk.find(folder.path("C/Tools"), R"(ffmpeg\lib\..\bin\Avcodec-61.dll)"),
              Optional(dll));
  EXPECT_THAT(disk.realPath(folder.path("c/tools")), Optional(folder.path("C/Tools")));
  EXPECT_EQ(disk.find(folder.path("C"), "avcodec-61.dll"), std::nullopt);
}

TEST_F(WindowsSysroot, RecognizesPathsThatAreNotAbsolute) {
  for (const char* path : {"relative", R"(\rooted)", "C:relative", "/posix", R"(\\server\share\x)"})
    EXPECT_EQ(disk.hostPath(path), std::nullopt) << path;
}

TEST_F(WindowsSysroot, PrefersTheExactName) {
  std::string upper = folder.file("C/LIB");
  std::string lower = folder.file("C/lib");
  EXPECT_THAT(disk.find(folder.path("C"), "lib"), Optional(lower));
  EXPECT_THAT(disk.find(folder.path("C"), "LIB"), Optional(upper));
}

} // namespace
} // namespace tcfix::support
