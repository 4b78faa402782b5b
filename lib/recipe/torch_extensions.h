// Packages with modules that are built for one torch, but that have no index of PyTorch's.
#pragma once

#include "recipe/torch_build.h"

namespace tcfix::recipe {

struct TorchExtension {
  llvm::StringLiteral module; ///< the beginning of the names of its modules
  llvm::StringLiteral distribution;
  /// PyG's index has its wheels for each torch; otherwise its setup chooses or builds one for the
  /// installed torch.
  bool hasIndex;
};

/// The package of a module; null if it is not known.
const TorchExtension* torchExtensionOf(llvm::StringRef module);

/// The page of PyG's index with the wheels for this torch; empty if its channel is unknown.
std::string extensionIndex(const TorchBuild& torch);

} // namespace tcfix::recipe
