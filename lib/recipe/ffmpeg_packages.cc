#include "recipe/ffmpeg_packages.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace tcfix::recipe {

namespace {

/// From this PyAV on, until the next row. Source: the names of the libraries in av.libs of the
/// wheels. 19 needs Python 3.12, 18 needs 3.11; for older Pythons pip chooses an older PyAV itself.
struct PyavSpan {
  int pyav, ffmpeg;
};
constexpr PyavSpan kPyav[] = {{12, 6}, {13, 7}, {16, 8}, {19, 9}};

/// The major of the formula without a number; older majors are called ffmpeg@N. Homebrew's
/// formulas, November 2026: ffmpeg (9), ffmpeg@8 and older.
constexpr int kHomebrewNewest = 9;

/// The newest version of each major in winget's packages, November 2026.
struct WingetVersion {
  int major;
  llvm::StringLiteral version;
};
constexpr WingetVersion kWinget[] = {{6, "6.1.1"}, {7, "7.1.1"}, {8, "8.1.2"}, {9, "9.0.2"}};

} // namespace

std::string pyavRequirement(llvm::ArrayRef<int> majors) {
  for (size_t i = std::size(kPyav); i-- > 0;)
    if (llvm::is_contained(majors, kPyav[i].ffmpeg))
      return i + 1 == std::size(kPyav) ? "av" : "av<" + std::to_string(kPyav[i + 1].pyav);
  return {};
}

std::string condaRequirement(llvm::ArrayRef<int> majors) {
  if (majors.empty())
    return {};
  const auto [lowest, highest] = std::minmax_element(majors.begin(), majors.end());
  // All releases with several majors can use conda-forge's oldest FFmpeg.
  const std::string bound = "<" + std::to_string(*highest + 1);
  return *lowest == *highest ? "ffmpeg>=" + std::to_string(*lowest) + "," + bound
                             : "ffmpeg" + bound;
}

std::string homebrewFormula(int major) {
  return major >= kHomebrewNewest ? "ffmpeg" : "ffmpeg@" + std::to_string(major);
}

std::string wingetPackage(int major) {
  for (const WingetVersion& each : kWinget)
    if (each.major == major)
      return "Gyan.FFmpeg.Shared --version " + each.version.str();
  return {};
}

} // namespace tcfix::recipe
