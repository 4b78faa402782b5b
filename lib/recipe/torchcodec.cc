// torchcodec: one set of libraries for each FFmpeg major, the highest tried first.
#include "recipe/recipes.h"

namespace tcfix::recipe {

namespace {

/// Source: README in the METADATA of the wheels, and measurements (docs/findings.md). Matching
/// symbols do not prove that two versions are compatible: 0.7 finds all of its symbols in torch 2.9
/// and crashes there. From 0.12 on it uses torch's stable ABI.
constexpr TorchMatch kTorchcodecTorch[] = {
    {{0, 0}, {0, 0}, {2, 4}, false},    {{0, 1}, {0, 1}, {2, 5}, false},
    {{0, 2}, {0, 2}, {2, 6}, false},    {{0, 3}, {0, 5}, {2, 7}, false},
    {{0, 6}, {0, 7}, {2, 8}, false},    {{0, 8}, {0, 9}, {2, 9}, false},
    {{0, 10}, {0, 10}, {2, 10}, false}, {{0, 11}, {0, 11}, {2, 11}, false},
    {{0, 12}, {0, 17}, {2, 11}, true},
};

/// Source: names of the wheels on the package index, November 2026. There has never been a wheel
/// for another platform: no Intel Mac, no musl, no Windows on Arm.
constexpr WheelSpan kTorchcodecWheels[] = {
    {{0, 0}, {0, 1}, Platform::Linux, "x86_64", {3, 9}, {3, 12}},
    {{0, 2}, {0, 7}, Platform::Linux, "x86_64", {3, 9}, {3, 13}},
    {{0, 8}, {0, 8}, Platform::Linux, "x86_64", {3, 10}, {3, 13}},
    {{0, 9}, {0, 17}, Platform::Linux, "x86_64", {3, 10}, {3, 14}},
    {{0, 3}, {0, 4}, Platform::Linux, "x86_64", {3, 13}, {3, 13}, true},
    {{0, 13}, {0, 14}, Platform::Linux, "x86_64", {3, 13}, {3, 14}, true},
    {{0, 15}, {0, 17}, Platform::Linux, "x86_64", {3, 14}, {3, 14}, true},
    {{0, 11}, {0, 17}, Platform::Linux, "aarch64", {3, 10}, {3, 14}},
    {{0, 13}, {0, 14}, Platform::Linux, "aarch64", {3, 13}, {3, 14}, true},
    {{0, 15}, {0, 17}, Platform::Linux, "aarch64", {3, 14}, {3, 14}, true},
    {{0, 1}, {0, 1}, Platform::MacOs, "arm64", {3, 9}, {3, 12}},
    {{0, 2}, {0, 7}, Platform::MacOs, "arm64", {3, 9}, {3, 13}},
    {{0, 8}, {0, 8}, Platform::MacOs, "arm64", {3, 10}, {3, 13}},
    {{0, 9}, {0, 17}, Platform::MacOs, "arm64", {3, 10}, {3, 14}},
    {{0, 3}, {0, 4}, Platform::MacOs, "arm64", {3, 13}, {3, 13}, true},
    {{0, 15}, {0, 17}, Platform::MacOs, "arm64", {3, 14}, {3, 14}, true},
    {{0, 7}, {0, 7}, Platform::Windows, "x86_64", {3, 9}, {3, 13}},
    {{0, 8}, {0, 8}, Platform::Windows, "x86_64", {3, 10}, {3, 13}},
    {{0, 9}, {0, 16}, Platform::Windows, "x86_64", {3, 10}, {3, 14}},
    {{0, 17}, {0, 17}, Platform::Windows, "x86_64", {3, 11}, {3, 14}},
};

/// Source: the dependencies of core and custom_ops in the wheels. Not included: 0.11.0 for x86_64,
/// which needs CUDA 13 while 0.11.1 does not; "0.11.*" installs the latter.
constexpr CudaBuild kTorchcodecCuda[] = {
    {{0, 11}, {0, 17}, "aarch64", 13},
    {{0, 14}, {0, 17}, "x86_64", 13},
};

/// Source: the numbers in the names of the libraries in the wheels. All begin with FFmpeg 4.
/// Windows' wheels of 0.8 also have libraries for 8, although their error message does not list it.
constexpr MajorSpan kTorchcodecMajors[] = {
    {7, {0, 0}, {0, 7}}, {8, {0, 8}, {0, 15}}, {9, {0, 16}, {0, 17}}};

// From 0.16 on the import succeeds without FFmpeg, and the major is None then. Up to 0.8 the name
// does not exist (in the wheels: absent in 0.8.1, present in 0.9.0), and the import itself fails.
std::string torchcodecSmokeTest(std::optional<Version> version) {
  return version && *version < Version{0, 9}
             ? "import torchcodec"
             : "import torchcodec; print(torchcodec.ffmpeg_major_version)";
}

} // namespace

const Recipe& torchcodec() {
  static const Recipe recipe = [] {
    Recipe made;
    made.name = "torchcodec";
    made.libraryPrefix = "libtorchcodec";
    // In old versions core was called decoder, or had no name.
    made.ffmpegStems = {"libtorchcodec", "libtorchcodec_custom_ops", "libtorchcodec_pybind_ops"};
    made.importedStems = {"libtorchcodec_image", "libtorchcodec_pybind_ops"}; // from 0.16 on
    made.importsTorch = true;
    made.loadsSiblingsFirst = false; // always in the order of the stems
    made.torchMatches = kTorchcodecTorch;
    made.wheelSpans = kTorchcodecWheels;
    made.cudaBuilds = kTorchcodecCuda;
    made.lazySince = {0, 16};
    made.pluginSwitch = "TORCHCODEC_DEVICE_BACKEND_AUTOLOAD"; // torchcodec/__init__.py, 0.15
    made.errorWords = {"[start of libtorchcodec loading traceback]",
                       "[end of libtorchcodec loading traceback]", "FFmpeg version ",
                       "Could not load libtorchcodec"};
    made.majorSpans = kTorchcodecMajors;
    made.pluginGroup = "torchcodec.backends"; // torchcodec-xpu, which requires the same 0.N
    made.placeholder = "0.0.0.dev0";          // an empty module
    made.versionedSmokeTest = torchcodecSmokeTest;
    return made;
  }();
  return recipe;
}

} // namespace tcfix::recipe
