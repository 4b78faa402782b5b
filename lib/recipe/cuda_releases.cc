#include "recipe/cuda_releases.h"

#include "base/version.h"
#include "image/names.h"
#include "recipe/cuda_name.h"

namespace tcfix::recipe {

namespace {

/// CTranslate2's changelog: 4.0.0 is built for CUDA 12, 4.5.0 for cuDNN 9.
struct CudaRelease {
  int cuda, cudnn;
  llvm::StringLiteral requirement;
};
constexpr CudaRelease kReleases[] = {
    {11, 8, "ctranslate2<4"}, {12, 8, "ctranslate2>=4,<4.5"}, {12, 9, "ctranslate2>=4.5,<5"}};

/// torch's wheels contain cuDNN 9 since 2.4 (their own requirements on the package index).
constexpr Version kFirstWithCudnn9{2, 4};

/// The number of cuDNN in "libcudnn_ops.so.9" and "cudnn_ops64_9.dll"; 0 for other libraries.
int cudnnMajorOf(llvm::StringRef library) {
  const llvm::StringRef name = baseName(library);
  int number = 0;
  if (!name.contains_insensitive("cudnn"))
    return 0;
  const llvm::StringRef digits =
      name.contains(".so.") ? name.split(".so.").second : name.split("64_").second;
  llvm::StringRef rest = digits;
  return rest.consumeInteger(10, number) ? 0 : number;
}

} // namespace

std::string cudaRequirement(llvm::StringRef library, const TorchBuild& torch) {
  const std::optional<Version> version = parseVersion(torch.version);
  if (!version || !torch.cudaMajor || *torch.cudaMajor == 0)
    return {};
  const int cudnn = *version < kFirstWithCudnn9 ? 8 : 9;
  const int needed = cudaMajorOf(library).value_or(0), neededCudnn = cudnnMajorOf(library);
  if ((needed == 0 || needed == *torch.cudaMajor) && (neededCudnn == 0 || neededCudnn == cudnn))
    return {};
  for (const CudaRelease& release : kReleases)
    if (release.cuda == *torch.cudaMajor && (release.cudnn == cudnn || release.cuda == 11))
      return release.requirement.str();
  return {};
}

CudaWheel cudaWheelOf(llvm::StringRef library, int cuda) {
  struct Row {
    llvm::StringLiteral prefix, wheel, module;
  };
  constexpr Row kWheels[] = {{"libnvrtc", "nvidia-cuda-nvrtc", "cuda_nvrtc"},
                             {"libnpp", "nvidia-npp", "npp"},
                             {"libcudart", "nvidia-cuda-runtime", "cuda_runtime"},
                             {"libnvjpeg", "nvidia-nvjpeg", "nvjpeg"},
                             {"libnvJitLink", "nvidia-nvjitlink", "nvjitlink"},
                             {"libcublas", "nvidia-cublas", "cublas"}};
  const llvm::StringRef name = baseName(library);
  if (const int cudnn = cudnnMajorOf(name); cudnn && name.starts_with("lib")) {
    // Its own version numbers; the wheel's name contains the CUDA version. torch 2.4 and later
    // require 9, which an older one would replace.
    const std::string bounds = ">=" + std::to_string(cudnn) + ",<" + std::to_string(cudnn + 1);
    return {"nvidia-cudnn-cu" + std::to_string(cuda ? cuda : 12) + bounds, "nvidia.cudnn"};
  }
  const int needed = cudaMajorOf(library).value_or(0);
  // Only one minor version has it, which torch's own wheels contain: another must not replace it.
  if (name.starts_with("libnvrtc-builtins"))
    return {"", needed == 12   ? "nvidia.cuda_nvrtc"
                : needed >= 13 ? "nvidia.cu" + std::to_string(needed)
                               : ""};
  for (const Row& row : kWheels)
    if (name.starts_with(row.prefix) && needed) // wheels for CUDA 12 have it in their names
      return needed < 13 ? CudaWheel{row.wheel.str() + "-cu" + std::to_string(needed),
                                     "nvidia." + row.module.str()}
                         : CudaWheel{row.wheel.str() + ">=" + std::to_string(needed) + ",<" +
                                         std::to_string(needed + 1),
                                     "nvidia.cu" + std::to_string(needed)};
  return {};
}

} // namespace tcfix::recipe
