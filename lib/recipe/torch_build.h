// Which build of torch this is: the channel that it comes from, its CUDA, and who made it. PyTorch
// publishes each version several times, and a package for one of them may not load in another.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace tcfix::recipe {

struct TorchBuild {
  std::string version = {}; ///< such as "2.9.1+cu128"; empty: there is no torch, or it is unknown
  /// Of PyTorch's own download site: "cpu", "cu128", "rocm6.4", "xpu"; empty if none is known.
  std::string channel = {};
  std::optional<int> cudaMajor = {}; ///< 0: built without CUDA; nothing: not known
  std::string vendor = {};           ///< "ROCm", "a build from source"; empty: PyTorch's usual ones

  /// Someone else's: no wheel of PyTorch's may replace it, nor is built for it.
  bool isForeign() const { return !vendor.empty() && channel.empty(); }
};

/// By the version alone.
TorchBuild torchBuildOf(llvm::StringRef version);

/// Also by what torch/version.py says: its `__version__`, which names the channel where the
/// installer's version does not (2.9.1 for Windows is "2.9.1+cpu" there), and its `cuda`.
TorchBuild torchBuildOf(llvm::StringRef version, llvm::StringRef versionSource);

/// The index of a channel, for --index-url.
std::string channelIndex(llvm::StringRef channel);

} // namespace tcfix::recipe
