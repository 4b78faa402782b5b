// torchaudio: up to 2.8 it contains torio, whose libraries exist once for each FFmpeg major (6, 5
// and 4, tried in this order when the first stream is opened). SoX and the CTC decoder are loaded
// on demand, too.
#include "recipe/recipes.h"

namespace tcfix::recipe {

namespace {

/// "Requires-Dist: torch==" in METADATA; 2.11 has none, because it uses the stable ABI.
constexpr TorchMatch kTorchaudioTorch[] = {
    {{2, 2}, {2, 2}, {2, 2}, false},    {{2, 3}, {2, 3}, {2, 3}, false},
    {{2, 4}, {2, 4}, {2, 4}, false},    {{2, 5}, {2, 5}, {2, 5}, false},
    {{2, 6}, {2, 6}, {2, 6}, false},    {{2, 7}, {2, 7}, {2, 7}, false},
    {{2, 8}, {2, 8}, {2, 8}, false},    {{2, 9}, {2, 9}, {2, 9}, false},
    {{2, 10}, {2, 10}, {2, 10}, false}, {{2, 11}, {2, 11}, {2, 11}, true},
};

// The import does not load torio; querying FFmpeg's versions does. From 2.9 on there is no torio.
std::string torchaudioSmokeTest(std::optional<Version> version) {
  return version && *version < Version{2, 9}
             ? "import torchaudio, torio.utils; print(torio.utils.ffmpeg_utils.get_versions())"
             : "import torchaudio";
}

} // namespace

const Recipe& torchaudio() {
  static const Recipe recipe = [] {
    Recipe made;
    made.name = "torchaudio";
    made.ffmpegStems = {"libtorio_ffmpeg", "_torio_ffmpeg"};
    made.importedStems = {"libtorchaudio", "_torchaudio"};
    made.importsTorch = true;
    made.torchMatches = kTorchaudioTorch;
    made.versionedSmokeTest = torchaudioSmokeTest;
    return made;
  }();
  return recipe;
}

} // namespace tcfix::recipe
