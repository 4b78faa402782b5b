// What recipes derive from file names and versions.

#include "recipe/recipe.h"

#include <gtest/gtest.h>

namespace tcfix::support {
namespace {

using recipe::LibraryRole;
using recipe::Recipe;
using recipe::recipeFor;

struct Case {
  const char* name;
  int major, rank;
  bool isImported = false;
};

void check(const Recipe& recipe, std::initializer_list<Case> cases) {
  for (const Case& each : cases) {
    const LibraryRole role = recipe.roleOf(each.name);
    EXPECT_EQ(role.major, each.major) << each.name;
    EXPECT_EQ(role.rank, each.rank) << each.name;
    EXPECT_EQ(role.isImported, each.isImported) << each.name;
  }
}

TEST(Recipe, TorchcodecNamesOfAnyVersionHaveMajorAndRank) {
  check(recipe::defaultRecipe(), {{"libtorchcodec7.dylib", 7, 0},
                                  {"libtorchcodec_decoder7.dylib", 7, 0},
                                  {"libtorchcodec_core8.so", 8, 0},
                                  {"libtorchcodec_core10.so", 10, 0},
                                  {"libtorchcodec_custom_ops4.dll", 4, 1},
                                  {"libtorchcodec_pybind_ops5.pyd", 5, 2},
                                  {"libtorchcodec_pybind_ops.so", 0, 2, true},
                                  {"libtorchcodec_image.dylib", 0, 0, true},
                                  {"libtorchcodec_heic.dylib", 0, 0},
                                  {"libtorchcodec_core99999999999.so", 0, 0},
                                  {"libavcodec.61.dylib", 0, 0}});
}

TEST(Recipe, TorchaudioHasMajorsInTorioOnly) {
  check(recipeFor("TorchAudio"), {{"libtorio_ffmpeg6.so", 6, 0},
                                  {"_torio_ffmpeg4.pyd", 4, 1},
                                  {"_torio_ffmpeg.so", 0, 1},
                                  {"libtorchaudio.so", 0, 0, true},
                                  {"_torchaudio.pyd", 0, 0, true},
                                  {"libtorchaudio_sox.so", 0, 0},
                                  {"libctc_prefix_decoder.so", 0, 0}});
}

TEST(Recipe, GenericHasNoMajors) {
  check(recipeFor("x"), {{"libtorchcodec_core7.so", 0, 0}, {"x7.so", 0, 0}});
}

TEST(Recipe, GenericDependsOnModulesUnlessMoreIsKnown) {
  EXPECT_TRUE(recipeFor("x").isJudgedByModules);
  EXPECT_FALSE(recipeFor("torchaudio").isJudgedByModules);
  EXPECT_FALSE(recipe::defaultRecipe().isJudgedByModules);
  EXPECT_TRUE(recipeFor("numba").roleOf("tbbpool.cpython-312-x86_64-linux-gnu.so").isOptional);
  EXPECT_FALSE(recipeFor("x").roleOf("tbbpool.cpython-312-x86_64-linux-gnu.so").isOptional);
  EXPECT_TRUE(recipeFor("cupy_cuda12x").roleOf("nccl.cpython-312-x86_64-linux-gnu.so").isOptional);
  EXPECT_TRUE(recipeFor("imagecodecs").roleOf("_jpegxs.pyd").isOptional);
  EXPECT_TRUE(recipeFor("torchvision").roleOf("_C.so").isImported);
  EXPECT_TRUE(recipeFor("torchvision").roleOf("image.so").isOptional);
  EXPECT_TRUE(recipeFor("torch").preloadsNvidia);
}

TEST(Recipe, SmokeTestsFitTheVersion) {
  const std::string major = "import torchcodec; print(torchcodec.ffmpeg_major_version)";
  EXPECT_EQ(recipe::defaultRecipe().smokeTest("0.17.0"), major);
  EXPECT_EQ(recipe::defaultRecipe().smokeTest("0.9.1+cu128"), major);
  EXPECT_EQ(recipe::defaultRecipe().smokeTest(""), major);
  EXPECT_EQ(recipe::defaultRecipe().smokeTest("0.8.1"), "import torchcodec");
  EXPECT_EQ(recipeFor("torchaudio").smokeTest("2.9.1"), "import torchaudio");
  EXPECT_NE(recipeFor("torchaudio").smokeTest("2.8.0").find("torio"), std::string::npos);
  EXPECT_EQ(recipeFor("torchvision").smokeTest("0.24"), "import torchvision");
}

} // namespace
} // namespace tcfix::support
