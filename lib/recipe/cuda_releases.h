// Packages that open CUDA's libraries by name while they run: no file of theirs lists what they
// need, and their releases are each for one CUDA and one cuDNN.
#pragma once

#include "recipe/torch_build.h"

namespace tcfix::recipe {

/// Its own sentence: "Library NAME is not found or cannot be loaded".
constexpr llvm::StringLiteral kOpensCudaByName = "ctranslate2";

/// The requirement for the release that uses the CUDA and cuDNN of this torch, if that is another
/// than the release that needs this library; empty if torch's are unknown or are the same.
std::string cudaRequirement(llvm::StringRef library, const TorchBuild& torch);

/// NVIDIA's wheel with this library, as a requirement, and the Python module that contains the
/// library's directory "lib"; both are empty if there is none. `cuda`: torch's, or 0 if unknown.
struct CudaWheel {
  std::string requirement = {}, module = {};
};
CudaWheel cudaWheelOf(llvm::StringRef library, int cuda);

} // namespace tcfix::recipe
