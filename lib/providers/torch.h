// torch, which provides libtorch and libc10 to the packages installed beside it.
#pragma once

#include "env/environment.h"
#include "recipe/torch_build.h"

namespace tcfix::providers {

struct TorchInstall {
  std::string version;   ///< such as "2.9.1+cu128"; empty if unknown
  std::string libFolder; ///< host path of torch/lib; empty if this torch has none
  std::string site;
  std::string distInfo = {};     ///< host path; empty if there is none
  recipe::TorchBuild build = {}; ///< of this version
};

/// The torch that a package in `site` would import.
std::optional<TorchInstall> findTorch(const env::Environment& environment,
                                      const io::TargetDisk& disk, llvm::StringRef site);

/// True for the name of a library of torch, such as "@rpath/libc10.dylib" or "torch_cpu.dll"; false
/// for other packages with similar names, such as libtorchvision.
bool isTorchLibrary(llvm::StringRef dependency);

} // namespace tcfix::providers
