#include "recipe/torch_build.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::recipe {

namespace {

constexpr llvm::StringLiteral kNvidia = "NVIDIA (Jetson or NGC)", kSource = "a build from source",
                              kSystem = "a package of this system";

bool isNumber(llvm::StringRef text) {
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

/// "cu128" is CUDA 12.8, "cu92" CUDA 9.2: the last digit is the minor version.
std::optional<int> cudaMajorOfChannel(llvm::StringRef channel) {
  int major = 0;
  if (!channel.consume_front("cu") || !isNumber(channel) ||
      channel.drop_back().getAsInteger(10, major))
    return std::nullopt;
  return major;
}

/// PyTorch's: "rocm6.4". AMD's own are longer: "rocm7.0.2.git1234".
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
    build.vendor = kNvidia.str();
  else if (local.starts_with("git") || version.contains("a0"))
    build.vendor = kSource.str();
  // NVIDIA's builds have a CUDA that is not in their versions.
  if (build.channel == "cpu" || build.vendor == "ROCm" || build.vendor == "Intel XPU")
    build.cudaMajor = 0;
}

/// Strings that only tracebacks with such a torch contain.
struct VendorWords {
  llvm::StringLiteral words, vendor;
};
constexpr VendorWords kVendorWords[] = {
    {"/opt/pytorch/pytorch/", kNvidia}, // NGC's containers
    {"nvcr.io/nvidia/pytorch", kNvidia},
    {"torch\\lib\\c10_hip.dll", "ROCm"},
    {"torch/lib/libc10_hip.so", "ROCm"},
    {"/usr/lib/python3/dist-packages/torch/", kSystem}, // Debian
    // The form for PyTorch's bug reports, filled in
    {"(`conda`, `pip`, source): source", kSource},
    {"(conda, pip, source): source", kSource},
};

/// Other distributions: /usr/lib/python3.13/site-packages. pip installs into /usr/local for all
/// users.
bool isInSystem(llvm::StringRef text) {
  for (llvm::StringRef folder : {"/usr/lib/python3.", "/usr/lib64/python3."})
    for (size_t at = text.find(folder); at != llvm::StringRef::npos;
         at = text.find(folder, at + folder.size())) {
      const bool isWhole = at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '/');
      if (isWhole && text.substr(at + folder.size())
                         .drop_while(llvm::isDigit)
                         .starts_with("/site-packages/torch/"))
        return true;
    }
  return false;
}

/// The value of a name in version.py: "12.8"; empty for None; nothing if there is no such line.
/// Lines look like `cuda: Optional[str] = '12.8'`.
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

std::string torchVendorIn(llvm::StringRef text) {
  for (const VendorWords& each : kVendorWords)
    if (text.contains(each.words))
      return each.vendor.str();
  return isInSystem(text) ? kSystem.str() : std::string();
}

std::string channelIndex(llvm::StringRef channel) {
  return ("https://download.pytorch.org/whl/" + channel).str();
}

} // namespace tcfix::recipe
