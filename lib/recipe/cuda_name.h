// The names of CUDA's libraries, and which CUDA they belong to.
#pragma once

#include "recipe/torch_build.h"

namespace tcfix::recipe {

/// The CUDA version that a dependency belongs to: 13 for "libcudart.so.13" or "nvrtc64_130_0.dll";
/// 0 if its name has no number, such as "libc10_cuda.so", or its own, such as "libcudnn.so.9".
/// Nothing for other libraries, and for those that a wheel tool bundled with the package.
std::optional<int> cudaMajorOf(llvm::StringRef dependency);

/// Whether it is part of NVIDIA's driver, which belongs to the machine and is in no package.
bool isOfNvidiaDriver(llvm::StringRef dependency);

/// Whether a dependency belongs to another CUDA version than this torch's, or to any if torch was
/// built without CUDA. False if unknown.
bool isOtherCuda(llvm::StringRef dependency, const TorchBuild& torch);

} // namespace tcfix::recipe
