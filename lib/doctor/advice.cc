#include "doctor/advice.h"

#include "image/names.h"
#include "recipe/recipe.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

std::string quoted(llvm::StringRef word) {
  bool isPlain = llvm::all_of(
      word, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("/._-+~:@%,\\").contains(c); });
  if (isPlain && !word.empty())
    return word.str();
  return "'" + llvm::join(llvm::split(word, '\''), "'\\''") + "'";
}

std::string ffmpegInstallCommand(const FindingContext& context, int highest) {
  // The newest formula has no number; older ones do.
  if (context.platform == Platform::MacOs)
    return highest >= 8 ? "brew install ffmpeg" : "brew install ffmpeg@" + std::to_string(highest);
  if (context.platform == Platform::Linux && context.isConda)
    return "conda install -c conda-forge \"ffmpeg<" + std::to_string(highest + 1) + "\"";
  return "pip install av";
}

std::string fittingReleaseCommand(const FindingContext& context) {
  std::optional<std::string> release = recipe::recipeFor(context.package).releaseFor(context.torch);
  return release ? "pip install \"" + context.package + "==" + *release + "\""
                 : "pip install --upgrade torch " + context.package;
}

std::string cudaInstallCommand(llvm::StringRef library) {
  // Wheels for CUDA 12 have it in their names.
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kWheels[] = {
      {"libnvrtc", "nvidia-cuda-nvrtc"},    {"libnpp", "nvidia-npp"},
      {"libcudart", "nvidia-cuda-runtime"}, {"libnvjpeg", "nvidia-nvjpeg"},
      {"libcublas", "nvidia-cublas"},       {"libcudnn", "nvidia-cudnn"}};
  llvm::StringRef name = baseName(library);
  for (const auto& [prefix, wheel] : kWheels)
    if (name.starts_with(prefix))
      return "pip install " + wheel.str() + (name.contains(".so.12") ? "-cu12" : "");
  return {};
}

std::string reinstallCommand(const std::string& package) {
  return "pip install --force-reinstall --no-deps " + package;
}

std::string reinstallCommand(const FindingContext& context) {
  return context.isInstalled ? reinstallCommand(context.package) : std::string();
}

} // namespace tcfix::doctor
