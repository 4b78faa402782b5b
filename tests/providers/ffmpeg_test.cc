// FFmpeg's file names, and the directories where users have it.

#include "providers/ffmpeg.h"
#include "support/elf_builder.h"
#include "support/folder_tree.h"
#include "support/ld_cache_builder.h"
#include "support/macho_builder.h"
#include "support/pe_builder.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using providers::FfmpegInstall;
using providers::FfmpegQuery;
using testing::ElementsAre;
using testing::IsEmpty;

std::string parsedName(llvm::StringRef name) {
  std::optional<providers::FfmpegName> result = providers::parseFfmpegName(name);
  return result ? result->component + " " + std::to_string(result->libraryMajor) : "";
}

TEST(FfmpegName, IsKnownOnEveryPlatform) {
  for (const char* name :
       {"@rpath/libavcodec.61.dylib", "libavcodec.61.19.101.dylib", "libavcodec.so.61",
        "libavcodec.so.61.3.100", "libavcodec-7ee0753d.so.61.19.101", "avcodec-61.dll",
        "avcodec-61-1306a7df8fab62262dd7797a8fb9f1cc.dll", R"(C:\x\AVCODEC-61.DLL)"})
    EXPECT_EQ(parsedName(name), "avcodec 61") << name;
  EXPECT_EQ(parsedName("libswresample.so.4"), "swresample 4");
  for (const char* name :
       {"libavcodec.so", "libavcodec.dylib", "libavcodec.a", "avcodec.dll", "libavcodecs.so.61",
        "libx264.so.165", "avcodec-x.dll", "libavcodec.so.x", "libavcodec.so.61x",
        "libavcodec.61x.dylib", "libavcodec-hash.so", ""})
    EXPECT_EQ(parsedName(name), "") << name;
}

TEST(FfmpegName, HasTheMajor) {
  EXPECT_EQ(providers::ffmpegMajorOf({"avcodec", 61}), 7);
  EXPECT_EQ(providers::ffmpegMajorOf({"swscale", 5}), 4);
  EXPECT_EQ(providers::ffmpegMajorOf({"swresample", 4}), std::nullopt); // 5's and 6's
  EXPECT_EQ(providers::ffmpegMajorOf({"avcodec", 99}), std::nullopt);
  EXPECT_EQ(providers::libraryMajorIn(8, "avfilter"), 11);
  EXPECT_EQ(providers::libraryMajorIn(99, "avfilter"), 0);
}

class Ffmpegs : public testing::Test {
protected:
  /// Creates all components of an FFmpeg for a platform, as a distribution installs them.
  void install(const std::string& folder, int major, Platform platform,
               llvm::StringRef without = {}, const Architecture& arch = kArm64) {
    for (llvm::StringRef component : providers::ffmpegComponents()) {
      if (component == without)
        continue;
      std::string number = std::to_string(providers::libraryMajorIn(major, component));
      std::string name = platform == Platform::MacOs
                             ? "lib" + component.str() + "." + number + ".dylib"
                         : platform == Platform::Linux ? "lib" + component.str() + ".so." + number
                                                       : component.str() + "-" + number + ".dll";
      tree.file(folder + "/" + name, libraryFor(platform, arch));
    }
  }

  ByteVector libraryFor(Platform platform, const Architecture& arch) {
    MachOSpec spec;
    spec.arch = arch;
    return platform == Platform::MacOs   ? buildMachO(spec)
           : platform == Platform::Linux ? test::buildElf().bytes
                                         : buildPe({});
  }

  std::vector<FfmpegInstall> findAll(const FfmpegQuery& query, llvm::StringRef target = "venv") {
    io::TargetDisk disk({.sysroot = tree.path(), .isWindows = query.platform == Platform::Windows});
    return findOn(disk, query, target);
  }

  std::vector<FfmpegInstall> findOn(const io::TargetDisk& disk, const FfmpegQuery& query,
                                    llvm::StringRef target = "venv") {
    tree.makeFolder(target);
    llvm::Expected<env::Environment> environment = env::findEnvironment(tree.path(target), disk);
    if (environment)
      return providers::findFfmpegs(*environment, disk, query);
    ADD_FAILURE() << llvm::toString(environment.takeError());
    return {};
  }

  /// Such as "homebrew 8 /opt/homebrew/lib" or "option 0 /x: static only".
  std::vector<std::string> texts(const std::vector<FfmpegInstall>& installs) {
    std::vector<std::string> all;
    for (const FfmpegInstall& install : installs)
      all.push_back(providers::nameOf(install.source).str() + " " + std::to_string(install.major) +
                    " " + install.searchPath +
                    (install.defect.empty() ? "" : ": " + install.defect));
    return all;
  }

  FolderTree tree;
  FfmpegQuery mac{.platform = Platform::MacOs, .arch = "arm64", .option = {}, .variables = {}};
  FfmpegQuery linux{.platform = Platform::Linux, .arch = "x86_64", .option = {}, .variables = {}};
  FfmpegQuery windows{
      .platform = Platform::Windows, .arch = "x86_64", .option = {}, .variables = {}};
};

TEST_F(Ffmpegs, OfHomebrewAreItsLibThenKegsThatAreNotLinked) {
  install("opt/homebrew/Cellar/ffmpeg/8.0/lib", 8, Platform::MacOs);
  install("opt/homebrew/lib", 8, Platform::MacOs);
  install("opt/homebrew/Cellar/ffmpeg@7/7.1/lib", 7, Platform::MacOs);
  tree.file("opt/homebrew/Cellar/ffmpeg@7/7.1/lib/libavcodec.61.19.101.dylib", buildMachO({}));
  tree.link("opt/homebrew/opt/ffmpeg", "../Cellar/ffmpeg/8.0");
  tree.link("opt/homebrew/opt/ffmpeg@8", "../Cellar/ffmpeg/8.0"); // an alias
  tree.link("opt/homebrew/opt/ffmpeg@7", "/opt/homebrew/Cellar/ffmpeg@7/7.1");
  EXPECT_THAT(texts(findAll(mac)), ElementsAre("homebrew 8 /opt/homebrew/lib",
                                               "homebrew 7 /opt/homebrew/opt/ffmpeg@7/lib"));
  EXPECT_EQ(findAll(mac)[1].description, "Homebrew keg ffmpeg@7");
  EXPECT_EQ(findAll(mac)[1].arch, "arm64");
  EXPECT_EQ(findAll(mac)[1].files.at("avcodec"), "libavcodec.61.dylib");
}

TEST_F(Ffmpegs, OfHomebrewAreKegsWhenItsLibIsIncomplete) {
  install("opt/homebrew/lib", 8, Platform::MacOs, "swscale");
  install("opt/homebrew/opt/ffmpeg/lib", 8, Platform::MacOs);
  EXPECT_THAT(texts(findAll(mac)), ElementsAre("homebrew 8 /opt/homebrew/lib: swscale not found",
                                               "homebrew 8 /opt/homebrew/opt/ffmpeg/lib"));
}

TEST_F(Ffmpegs, OfHomebrewNeedNoKegsExceptWhereOthersInstallToo) {
  install("opt/homebrew/lib", 8, Platform::MacOs);
  install("usr/local/lib", 7, Platform::MacOs);
  EXPECT_THAT(texts(findAll(mac)),
              ElementsAre("system 7 /usr/local/lib", "homebrew 8 /opt/homebrew/lib"));
  tree.makeFolder("usr/local/opt");
  EXPECT_THAT(texts(findAll(mac)),
              ElementsAre("homebrew 8 /opt/homebrew/lib", "homebrew 7 /usr/local/lib"));
}

TEST_F(Ffmpegs, ForAnotherArchitectureAreNamed) {
  install("usr/local/lib", 8, Platform::MacOs, {}, kX86_64);
  tree.makeFolder("usr/local/opt");
  EXPECT_THAT(texts(findAll(mac)),
              ElementsAre("homebrew 8 /usr/local/lib: is for x86_64, not arm64"));
  mac.arch = "x86_64";
  EXPECT_THAT(texts(findAll(mac)), ElementsAre("homebrew 8 /usr/local/lib"));
}

TEST_F(Ffmpegs, OfMacPorts) {
  install("opt/local/libexec/ffmpeg7/lib", 7, Platform::MacOs);
  install("opt/local/lib", 4, Platform::MacOs);
  EXPECT_THAT(texts(findAll(mac)), ElementsAre("macports 7 /opt/local/libexec/ffmpeg7/lib",
                                               "macports 4 /opt/local/lib"));
}

TEST_F(Ffmpegs, OfALinuxSystemAreFoundOnce) {
  install("usr/lib/x86_64-linux-gnu", 5, Platform::Linux);
  tree.link("lib", "usr/lib");
  install("usr/local/lib", 7, Platform::Linux);
  install("usr/local/lib", 6, Platform::Linux); // two majors in one directory
  install("home/linuxbrew/.linuxbrew/opt/ffmpeg@4/lib", 4, Platform::Linux);
  install("usr/lib/jellyfin-ffmpeg/lib", 7, Platform::Linux);
  EXPECT_THAT(texts(findAll(linux)),
              ElementsAre("system 5 /usr/lib/x86_64-linux-gnu", "system 7 /usr/local/lib",
                          "system 6 /usr/local/lib",
                          "homebrew 4 /home/linuxbrew/.linuxbrew/opt/ffmpeg@4/lib",
                          "folder 7 /usr/lib/jellyfin-ffmpeg/lib"));
}

TEST_F(Ffmpegs, InLdSoCacheAreFoundAnywhere) {
  install("opt/vendor/lib", 7, Platform::Linux);
  tree.file("etc/ld.so.cache", ldCache({{"libavcodec.so.61", "/opt/vendor/lib/libavcodec.so.61"}}));
  EXPECT_THAT(texts(findAll(linux)), ElementsAre("system 7 /opt/vendor/lib"));
  linux.arch = "aarch64"; // its ld.so would ignore the entry
  EXPECT_THAT(texts(findAll(linux)), IsEmpty());
}

TEST_F(Ffmpegs, ThatCannotBeUsedAreReported) {
  tree.file("usr/local/lib/libavcodec.a");
  install("run/current-system/sw/lib", 8, Platform::Linux);
  std::vector<std::string> found = texts(findAll(linux));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(
      found[0],
      "system 0 /usr/local/lib: static libraries only: libavcodec.a, but no shared libraries");
  EXPECT_THAT(found[1], testing::StartsWith("folder 8 /run/current-system/sw/lib: belongs to Nix"));
}

TEST_F(Ffmpegs, OfWindows) {
  install("C/ffmpeg/bin", 7, Platform::Windows);
  install(
      "C/Users/Jo Doe/AppData/Local/Microsoft/WinGet/Packages/"
      "Gyan.FFmpeg.Shared_Microsoft.Winget.Source_8wekyb3d8bbwe/ffmpeg-8.0-full_build-shared/bin",
      8, Platform::Windows);
  tree.file("C/Tools/ffmpeg-shared/bin/ffmpeg.exe"); // a static build
  EXPECT_THAT(
      texts(findAll(windows)),
      ElementsAre(R"(folder 0 C:\Tools\ffmpeg-shared\bin: ffmpeg program without shared libraries)",
                  R"(folder 7 C:\ffmpeg\bin)",
                  R"(folder 8 C:\Users\Jo Doe\AppData\Local\Microsoft\WinGet\Packages\)"
                  R"(Gyan.FFmpeg.Shared_Microsoft.Winget.Source_8wekyb3d8bbwe\)"
                  R"(ffmpeg-8.0-full_build-shared\bin)"));
}

TEST_F(Ffmpegs, OnPathAreTheProgramsNeighbours) {
  install("opt/own/lib", 7, Platform::Linux);
  tree.file("opt/own/bin/ffmpeg");
  linux.variables["PATH"] = "relative:/opt/none:/opt/own/bin";
  EXPECT_THAT(texts(findAll(linux)), ElementsAre("folder 7 /opt/own/lib"));
  tree.file("home/bin/ffmpeg");
  linux.variables["PATH"] = "/home/bin";
  EXPECT_THAT(texts(findAll(linux)),
              ElementsAre("folder 0 /home/bin: ffmpeg program without shared libraries"));
}

TEST_F(Ffmpegs, GivenByTheUserMayBeAnyDirectoryOfTheirPrefix) {
  install("opt/own/lib", 7, Platform::Linux);
  tree.file("opt/own/bin/ffmpeg");
  for (const char* given : {"/opt/own", "/opt/own/lib", "/opt/own/bin", "/opt/own/bin/ffmpeg"}) {
    linux.option = given;
    EXPECT_THAT(texts(findAll(linux)), ElementsAre("option 7 /opt/own/lib")) << given;
  }
  linux.option = "/opt/absent";
  EXPECT_THAT(texts(findAll(linux)), ElementsAre("option 0 /opt/absent: no such directory"));
  tree.makeFolder("opt/empty");
  linux.option = "/opt/empty";
  EXPECT_THAT(texts(findAll(linux)),
              ElementsAre("option 0 /opt/empty: contains no FFmpeg libraries"));
}

TEST_F(Ffmpegs, OfACellarGetALastingPath) {
  install("opt/homebrew/Cellar/ffmpeg/8.0/lib", 8, Platform::MacOs);
  mac.option = "/opt/homebrew/Cellar/ffmpeg/8.0/lib";
  EXPECT_THAT(texts(findAll(mac)), ElementsAre("option 8 /opt/homebrew/Cellar/ffmpeg/8.0/lib"));
  tree.link("opt/homebrew/opt/ffmpeg", "../Cellar/ffmpeg/8.0");
  EXPECT_THAT(texts(findAll(mac)), ElementsAre("option 8 /opt/homebrew/opt/ffmpeg/lib"));
}

TEST_F(Ffmpegs, OfTheVariableMayBeSeveral) {
  install("a", 7, Platform::Linux);
  install("b", 6, Platform::Linux);
  io::TargetDisk disk({});
  linux.variables["TCFIX_FFMPEG"] = tree.path("a") + ":" + tree.path("b");
  std::vector<FfmpegInstall> found = findOn(disk, linux);
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[0].searchPath, tree.path("a"));
  EXPECT_EQ(found[1].searchPath, tree.path("b"));
  EXPECT_EQ(found[1].source, providers::FfmpegSource::Variable);
}

TEST_F(Ffmpegs, OfPyavAreFoundByTheirHashedNames) {
  tree.file("venv/pyvenv.cfg", "home = /usr/bin\n");
  std::string site = "venv/lib/python3.12/site-packages/";
  tree.makeFolder(site + "av-15.1.0.dist-info");
  for (auto [name, number] : {std::pair("avcodec", "61.19.101"),
                              {"avdevice", "61.3.100"},
                              {"avfilter", "10.4.100"},
                              {"avformat", "61.7.100"},
                              {"avutil", "59.39.100"},
                              {"swresample", "5.3.100"},
                              {"swscale", "8.3.100"}})
    tree.file(site + "av.libs/lib" + name + "-7ee0753d.so." + number, test::buildElf().bytes);
  std::vector<FfmpegInstall> found = findAll(linux);
  EXPECT_THAT(texts(found), ElementsAre("pyav 7 "));
  EXPECT_EQ(found[0].description, "PyAV 15.1.0");
  EXPECT_EQ(found[0].folder, tree.path(site + "av.libs"));
  EXPECT_EQ(found[0].files.at("swscale"), "libswscale-7ee0753d.so.8.3.100");
}

TEST_F(Ffmpegs, OfCondaComeBeforeTheSystems) {
  tree.makeFolder("conda/conda-meta");
  tree.makeFolder("conda/lib/python3.12/site-packages");
  install("conda/lib", 7, Platform::Linux);
  install("usr/lib64", 8, Platform::Linux);
  for (const char* target : {"conda", "conda/lib/python3.12/site-packages"})
    EXPECT_THAT(texts(findAll(linux, target)), ElementsAre("conda 7 ", "system 8 /usr/lib64"));
}

TEST_F(Ffmpegs, OnAnotherMachineAreNotChecked) {
  install("opt/homebrew/lib", 8, Platform::MacOs);
  io::TargetDisk disk({.knowsAbsolutePaths = false});
  EXPECT_THAT(texts(findOn(disk, mac)), IsEmpty());
  mac.option = "/opt/somewhere/else/lib";
  std::vector<FfmpegInstall> found = findOn(disk, mac);
  EXPECT_THAT(texts(found), ElementsAre("option 0 /opt/somewhere/else/lib"));
  EXPECT_TRUE(found[0].isOnTrust);
}

TEST_F(Ffmpegs, WithDanglingLinksAreIncomplete) {
  install("usr/lib64", 8, Platform::Linux, "swscale");
  tree.link("usr/lib64/libswscale.so.9", "libswscale.so.9.1.100");
  EXPECT_THAT(texts(findAll(linux)), ElementsAre("system 8 /usr/lib64: swscale not found"));
  tree.file("usr/lib64/libswscale.so.9.1.100", test::buildElf().bytes);
  EXPECT_EQ(findAll(linux)[0].files.at("swscale"), "libswscale.so.9");
}

TEST_F(Ffmpegs, ThatAreNotLibrariesAreReported) {
  install("usr/lib64", 8, Platform::Linux);
  tree.file("usr/lib64/libavcodec.so.62", "text");
  EXPECT_THAT(texts(findAll(linux)),
              ElementsAre(testing::HasSubstr("libavcodec.so.62 is not a native library")));
}

} // namespace
} // namespace tcfix::support
