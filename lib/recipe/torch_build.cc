#include "recipe/torch_build.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::recipe {

namespace {

bool isNumber(llvm::StringRef text) {
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

/// "cu128" is CUDA 12.8, "cu92" CUDA 9.2: the last digit is the minor.
std::optional<int> cudaMajorOfChannel(llvm::StringRef channel) {
  int major = 0;
  if (!channel.consume_front("cu") || !isNumber(channel) ||
      channel.drop_back().getAsInteger(10, major))
    return std::nullopt;
  return major;
}

/// PyTorch's: "rocm6.4". AMD's own go on: "rocm7.0.2.git1234".
bool isRocmChannel(llvm::StringRef local) {
  if (!local.consume_front("rocm"))
    return false;
  auto [major, minor] = local.split('.');
  return isNumber(major) && isNumber(minor);
}

void readVersion(TorchBuild& build) {
  const llvm::StringRef version = build.version, local = version.split('+').second;
  if (local == "cpu" || local == "xpu" || isRocmChannel(local))
    build.channel = local.str();
  if (std::optional<int> major = cudaMajorOfChannel(local)) {
    build.channel = local.str();
    build.cudaMajor = major;
  }
  if (local.starts_with("rocm"))
    build.vendor = "ROCm";
  else if (local.starts_with("xpu"))
    build.vendor = "Intel XPU";
  else if (local.starts_with("nv") || version.contains(".nv") || version.contains("nv2"))
    build.vendor = "NVIDIA (Jetson or NGC)";
  else if (local.starts_with("git") || version.contains("a0"))
    build.vendor = "a build from source";
  // NVIDIA's have a CUDA that their versions do not name.
  if (build.channel == "cpu" || build.vendor == "ROCm" || build.vendor == "Intel XPU")
    build.cudaMajor = 0;
}

/// The value that a line of version.py gives a name: "12.8"; empty for None; nothing if there is no
/// such line. Lines look like `cuda: Optional[str] = '12.8'`.
std::optional<llvm::StringRef> valueIn(llvm::StringRef source, llvm::StringRef name) {
  for (llvm::StringRef line : llvm::split(source, '\n')) {
    if (!line.consume_front(name) || !(line.starts_with(" ") || line.starts_with(":")))
      continue;
    llvm::StringRef value = line.split('=').second.trim();
    return value == "None" ? llvm::StringRef() : value.trim("'\"");
  }
  return std::nullopt;
}

} // namespace

TorchBuild torchBuildOf(llvm::StringRef version) {
  TorchBuild build;
  build.version = version.str();
  readVersion(build);
  return build;
}

TorchBuild torchBuildOf(llvm::StringRef version, llvm::StringRef versionSource) {
  TorchBuild build = torchBuildOf(version);
  const std::optional<llvm::StringRef> own = valueIn(versionSource, "__version__");
  if (own && build.channel.empty() &&
      (version.empty() || own->split('+').first == version.split('+').first)) {
    build = torchBuildOf(*own);
    if (!version.empty())
      build.version = version.str();
  }
  const std::optional<llvm::StringRef> cuda = valueIn(versionSource, "cuda");
  if (!cuda || build.cudaMajor)
    return build;
  int major = 0;
  if (cuda->empty()) {
    build.cudaMajor = 0;
    if (build.vendor.empty())
      build.channel = "cpu";
  } else if (auto [first, minor] = cuda->split('.'); !first.getAsInteger(10, major)) {
    build.cudaMajor = major;
    if (build.vendor.empty() && isNumber(minor))
      build.channel = ("cu" + first + minor).str();
  }
  return build;
}

std::string channelIndex(llvm::StringRef channel) {
  return ("https://download.pytorch.org/whl/" + channel).str();
}

} // namespace tcfix::recipe
