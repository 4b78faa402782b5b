// torchcodec: one set of libraries for each FFmpeg major, the highest tried first.
#include "recipe/recipes.h"

namespace tcfix::recipe {

namespace {

/// From torchcodec's README, and measured (docs/findings.md). Symbols alone do not prove that two
/// go together: 0.7 finds all of its symbols in torch 2.9 and crashes there.
constexpr TorchMatch kTorchcodecTorch[] = {
    {{0, 0}, {0, 0}, {2, 4}, false},    {{0, 1}, {0, 1}, {2, 5}, false},
    {{0, 2}, {0, 2}, {2, 6}, false},    {{0, 3}, {0, 5}, {2, 7}, false},
    {{0, 6}, {0, 7}, {2, 8}, false},    {{0, 8}, {0, 9}, {2, 9}, false},
    {{0, 10}, {0, 10}, {2, 10}, false}, {{0, 11}, {0, 11}, {2, 11}, false},
    {{0, 12}, {0, 17}, {2, 11}, true},
};

/// Not here: 0.11.0 for x86_64, which needs CUDA 13 while 0.11.1 does not.
constexpr CudaBuild kTorchcodecCuda[] = {
    {{0, 11}, {0, 17}, "aarch64", 13},
    {{0, 14}, {0, 17}, "x86_64", 13},
};

// From 0.16 on the import succeeds without FFmpeg, and the major is None then. Up to 0.8 there is
// no such name, and the import itself fails.
std::string torchcodecSmokeTest(std::optional<Version> version) {
  return version && *version < Version{0, 9}
             ? "import torchcodec"
             : "import torchcodec; print(torchcodec.ffmpeg_major_version)";
}
constexpr MajorSpan kMajors[] = {{7, {0, 0}, {0, 7}}, {8, {0, 8}, {0, 15}}, {9, {0, 16}, {0, 17}}};

} // namespace

const Recipe& torchcodec() {
  static const Recipe recipe = [] {
    Recipe made;
    made.name = "torchcodec";
    made.libraryPrefix = "libtorchcodec";
    // core was called decoder, or nothing at all, in old versions.
    made.ffmpegStems = {"libtorchcodec", "libtorchcodec_custom_ops", "libtorchcodec_pybind_ops"};
    made.importsTorch = true;
    made.loadsSiblingsFirst = false; // in the order of the stems, and no other
    made.torchMatches = kTorchcodecTorch;
    made.cudaBuilds = kTorchcodecCuda;
    made.errorWords = {"[start of libtorchcodec loading traceback]",
                       "[end of libtorchcodec loading traceback]", "FFmpeg version ",
                       "Could not load libtorchcodec"};
    made.majorSpans = kMajors;
    made.versionedSmokeTest = torchcodecSmokeTest;
    return made;
  }();
  return recipe;
}

} // namespace tcfix::recipe
