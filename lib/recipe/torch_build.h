// The build of a torch: its channel, its CUDA, and its vendor. PyTorch publishes each version
// several times, and a package for one build may not load with another.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace tcfix::recipe {

struct TorchBuild {
  std::string version = {}; ///< such as "2.9.1+cu128"; empty: no torch, or unknown
  /// On PyTorch's own download site: "cpu", "cu128", "rocm6.4", "xpu"; empty if unknown.
  std::string channel = {};
  std::optional<int> cudaMajor = {}; ///< 0: built without CUDA; nothing: unknown
  std::string vendor = {};           ///< "ROCm", "a build from source"; empty: PyTorch's own

  /// A vendor's or user's build: no wheel of PyTorch may replace it or is built for it.
  bool isForeign() const { return !vendor.empty() && channel.empty(); }
};

/// From the version alone.
TorchBuild torchBuildOf(llvm::StringRef version);

/// Also from torch/version.py: its `__version__`, which contains the channel even if the
/// installer's version does not (2.9.1 for Windows is "2.9.1+cpu" there), and its `cuda`.
TorchBuild torchBuildOf(llvm::StringRef version, llvm::StringRef versionSource);

/// The vendor of the torch in a traceback, according to its paths and words; empty if unknown.
std::string torchVendorIn(llvm::StringRef text);

/// The index of a channel, for --index-url.
std::string channelIndex(llvm::StringRef channel);

} // namespace tcfix::recipe
