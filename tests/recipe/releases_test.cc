// Which releases, builds and FFmpeg packages are compatible.

#include "recipe/ffmpeg_packages.h"
#include "recipe/recipe.h"

#include <gtest/gtest.h>

namespace tcfix::recipe {
namespace {

std::string textOf(const std::optional<Release>& release) {
  return release ? release->version.text() : "none";
}

std::string newestFor(const char* torch, const Machine& machine) {
  return textOf(defaultRecipe().releaseFor(torchBuildOf(torch), machine));
}

TEST(Releases, TheNewestForThisTorchWithAWheel) {
  const Machine linux{Platform::Linux, "x86_64", "3.12"};
  for (auto [torch, release] :
       std::initializer_list<std::pair<const char*, const char*>>{{"2.4.0", "0.0"},
                                                                  {"2.5.1", "0.1"},
                                                                  {"2.6.0", "0.2"},
                                                                  {"2.7.1", "0.5"},
                                                                  {"2.8.0+cu128", "0.7"},
                                                                  {"2.9.1", "0.9"},
                                                                  {"2.10.0", "0.10"},
                                                                  {"2.11.0", "0.17"},
                                                                  {"2.15.0+cpu", "0.17"},
                                                                  {"2.3.1", "none"}})
    EXPECT_EQ(newestFor(torch, linux), release) << torch;
  EXPECT_EQ(newestFor("", linux), "0.17");
  EXPECT_EQ(newestFor("2.9.1", {}), "0.9"); // unknown values exclude nothing
}

TEST(Releases, NotEveryMachineHasAWheel) {
  EXPECT_EQ(newestFor("2.6.0", {Platform::Windows, "x86_64", "3.12"}), "none");
  EXPECT_EQ(newestFor("2.8.0", {Platform::Windows, "x86_64", "3.12"}), "0.7");
  EXPECT_EQ(newestFor("2.15.0", {Platform::Windows, "x86_64", "3.10"}), "0.16");
  EXPECT_EQ(newestFor("2.9.1", {Platform::Linux, "aarch64", "3.12"}), "none");
  EXPECT_EQ(newestFor("2.15.0", {Platform::Linux, "aarch64", "3.12"}), "0.17");
  EXPECT_EQ(newestFor("2.15.0", {Platform::MacOs, "x86_64", "3.12"}), "none");
  EXPECT_EQ(newestFor("2.9.1", {Platform::MacOs, "arm64", "3.14"}), "0.9");
  EXPECT_EQ(newestFor("2.8.0", {Platform::Linux, "x86_64", "3.14"}), "none");
  EXPECT_EQ(newestFor("2.15.0", {Platform::Linux, "x86_64", "3.13t"}), "0.14");
  EXPECT_EQ(newestFor("2.15.0", {Platform::Windows, "x86_64", "3.14t"}), "none");
}

TEST(Releases, TheFirstOfAMachine) {
  const Recipe& recipe = defaultRecipe();
  EXPECT_EQ(textOf(recipe.firstReleaseFor({Platform::Windows, "x86_64", ""})), "0.7");
  EXPECT_EQ(textOf(recipe.firstReleaseFor({Platform::Linux, "aarch64", ""})), "0.11");
  EXPECT_EQ(textOf(recipe.firstReleaseFor({Platform::Linux, "x86_64", "3.14"})), "0.9");
  EXPECT_EQ(textOf(recipe.firstReleaseFor({Platform::MacOs, "x86_64", ""})), "none");
}

TEST(Releases, SomeNeedCuda) {
  const Recipe& recipe = defaultRecipe();
  const Machine x86{Platform::Linux, "x86_64", "3.12"}, arm{Platform::Linux, "aarch64", "3.12"};
  const TorchBuild torch = torchBuildOf("2.12.0");
  EXPECT_EQ(recipe.releaseFor(torch, x86)->cudaMajor, 13);
  EXPECT_EQ(recipe.releaseFor(torch, {Platform::Windows, "x86_64", ""})->cudaMajor, 0);
  EXPECT_EQ(recipe.releaseFor(torchBuildOf("2.10.0"), x86)->cudaMajor, 0);
  EXPECT_EQ(textOf(recipe.releaseWithoutCuda(torch, x86)), "0.13");
  EXPECT_EQ(textOf(recipe.releaseWithoutCuda(torch, arm)), "none");
}

TEST(Releases, TheTorchOfARelease) {
  const Recipe& recipe = defaultRecipe();
  EXPECT_EQ(recipe.torchRequirement({0, 9}), "torch==2.9.*");
  EXPECT_EQ(recipe.torchRequirement({0, 13}), "torch>=2.11");
  EXPECT_EQ(recipe.torchRequirement({0, 99}), "");
  EXPECT_EQ(recipeFor("torchaudio").torchRequirement({2, 8}), "torch==2.8.*");
}

TEST(Releases, TheirFfmpegInEachPackageManager) {
  const Recipe& recipe = defaultRecipe();
  for (auto [release, highest, pyav] :
       std::initializer_list<std::tuple<Version, int, const char*>>{{{0, 0}, 7, "av<16"},
                                                                    {{0, 7}, 7, "av<16"},
                                                                    {{0, 8}, 8, "av<19"},
                                                                    {{0, 15}, 8, "av<19"},
                                                                    {{0, 16}, 9, "av"},
                                                                    {{0, 99}, 9, "av"}}) {
    EXPECT_EQ(recipe.highestMajorOf(release), highest) << release.text();
    EXPECT_EQ(pyavRequirement({highest, 7, 6, 5, 4}), pyav) << release.text();
  }
  EXPECT_EQ(pyavRequirement({6, 5, 4}), "av<13");
  EXPECT_EQ(pyavRequirement({5}), "");
  EXPECT_EQ(condaRequirement({8, 7, 6, 5, 4}), "ffmpeg<9");
  EXPECT_EQ(condaRequirement({7}), "ffmpeg>=7,<8");
  EXPECT_EQ(homebrewFormula(7), "ffmpeg@7");
  EXPECT_EQ(homebrewFormula(8), "ffmpeg@8");
  EXPECT_EQ(homebrewFormula(9), "ffmpeg");
  EXPECT_EQ(wingetPackage(7), "Gyan.FFmpeg.Shared --version 7.1.1");
  EXPECT_EQ(wingetPackage(3), "");
}

struct BuildCase {
  const char* version;
  const char* channel;
  std::optional<int> cuda;
  bool isForeign = false;
};

TEST(TorchBuild, IsInItsVersion) {
  for (const BuildCase& each :
       std::initializer_list<BuildCase>{{"2.9.1", "", {}},
                                        {"2.9.1+cu128", "cu128", 12},
                                        {"2.12.0+cu130", "cu130", 13},
                                        {"1.8.0+cu92", "cu92", 9},
                                        {"2.9.1+cpu", "cpu", 0},
                                        {"2.9.1+xpu", "xpu", 0},
                                        {"2.9.1+rocm6.4", "rocm6.4", 0},
                                        {"2.9.1+rocm7.0.git12", "", 0, true},
                                        {"2.9.0a0+nv25.8", "", {}, true},
                                        {"2.9.0a0+git1234", "", {}, true},
                                        {"", "", {}}}) {
    const TorchBuild build = torchBuildOf(each.version);
    EXPECT_EQ(build.version, each.version);
    EXPECT_EQ(build.channel, each.channel) << each.version;
    EXPECT_EQ(build.cudaMajor, each.cuda) << each.version;
    EXPECT_EQ(build.isForeign(), each.isForeign) << each.version;
  }
}

TEST(TorchBuild, VersionPyHasMoreDetails) {
  auto source = [](std::string version, std::string cuda) {
    return "from typing import Optional\n__all__ = ['__version__', 'cuda']\n__version__ = '" +
           version + "'\ncuda: Optional[str] = " + cuda + "\nhip: Optional[str] = None\n";
  };
  // As on the package index: 2.9.1 for Linux, for Windows, and for macOS.
  TorchBuild build = torchBuildOf("2.9.1", source("2.9.1+cu128", "'12.8'"));
  EXPECT_EQ(build.version, "2.9.1");
  EXPECT_EQ(build.channel, "cu128");
  EXPECT_EQ(build.cudaMajor, 12);
  EXPECT_EQ(torchBuildOf("2.9.1", source("2.9.1+cpu", "None")).channel, "cpu");
  EXPECT_EQ(torchBuildOf("2.9.1", source("2.9.1", "None")).cudaMajor, 0);
  EXPECT_EQ(torchBuildOf("2.9.1", source("2.9.1", "'13.0'")).channel, "cu130");
  // Without an installer, and of another version that was installed before.
  EXPECT_EQ(torchBuildOf("", source("2.9.1+cu130", "'13.0'")).version, "2.9.1+cu130");
  EXPECT_EQ(torchBuildOf("2.10.0", source("2.9.1+cpu", "'13.0'")).channel, "cu130");
  // NVIDIA's own: with CUDA, without a channel.
  build = torchBuildOf("2.9.0a0+nv25.8", source("2.9.0a0+nv25.8", "'13.0'"));
  EXPECT_EQ(build.cudaMajor, 13);
  EXPECT_TRUE(build.isForeign());
}

} // namespace
} // namespace tcfix::recipe
