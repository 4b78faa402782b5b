// Where FFmpeg will be installed on each platform.
#include "providers/standing_place.h"

#include <gtest/gtest.h>

namespace tcfix::providers {
namespace {

TEST(StandingPlaceOf, FollowsPlatformAndArchitecture) {
  EXPECT_EQ(standingPlace(Platform::MacOs, "arm64").searchPath, "/opt/homebrew/lib");
  EXPECT_EQ(standingPlace(Platform::MacOs, "").searchPath, "/opt/homebrew/lib");
  EXPECT_EQ(standingPlace(Platform::MacOs, "x86_64").searchPath, "/usr/local/lib");
  EXPECT_EQ(standingPlace(Platform::Windows, "x86_64").searchPath, "%FFMPEG_SHARED_BIN%");
  EXPECT_FALSE(standingPlace(Platform::Linux, "x86_64").exists());
}

TEST(StandingPlaceOf, IsCondasOwnOnMacOsOnly) {
  env::Environment conda;
  conda.condaMeta = "/envs/one/conda-meta";
  StandingPlace place = standingPlace(conda, {.platform = Platform::MacOs, .arch = "arm64"});
  EXPECT_EQ(place.directory, "/envs/one/lib");
  EXPECT_EQ(place.searchPath, "");
  EXPECT_EQ(standingPlace(conda, {.platform = Platform::Windows}).searchPath,
            "%FFMPEG_SHARED_BIN%");
}

TEST(StandingPlaceOf, FollowsAHomebrewSomewhereElse) {
  FfmpegQuery query{.platform = Platform::MacOs, .arch = "x86_64"};
  auto placeWith = [&](const char* prefix) {
    query.variables["HOMEBREW_PREFIX"] = prefix;
    return standingPlace({}, query).searchPath;
  };
  EXPECT_EQ(placeWith("/Users/me/brew/"), "/Users/me/brew/lib");
  EXPECT_EQ(placeWith("/opt/homebrew"), "/usr/local/lib")
      << "the terminal's Homebrew, not Python's";
  EXPECT_EQ(placeWith("brew"), "/usr/local/lib");
}

} // namespace
} // namespace tcfix::providers
