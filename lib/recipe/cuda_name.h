// The names of CUDA's libraries, and which CUDA they belong to.
#pragma once

#include "recipe/torch_build.h"

namespace tcfix::recipe {

/// The CUDA that a dependency is a part of: 13 for "libcudart.so.13" or "nvrtc64_130_0.dll"; 0
/// where its name has no number, as "libc10_cuda.so", or one of its own, as "libcudnn.so.9".
/// Nothing for other libraries, and for those that a wheel tool put into the package itself.
std::optional<int> cudaMajorOf(llvm::StringRef dependency);

/// Whether it is a part of NVIDIA's driver, which comes with the machine and with no package.
bool isOfNvidiaDriver(llvm::StringRef dependency);

/// Whether a dependency is a part of another CUDA than this torch was built for, or of any, where
/// torch was built without. False where that is not known.
bool isOtherCuda(llvm::StringRef dependency, const TorchBuild& torch);

} // namespace tcfix::recipe
