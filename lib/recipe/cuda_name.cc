#include "recipe/cuda_name.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::recipe {

namespace {

/// The libraries of the toolkit that have the toolkit's version number.
constexpr llvm::StringLiteral kNumbered[] = {"cudart", "nvrtc",    "npp",      "nvjpeg",
                                             "cublas", "cusparse", "cusolver", "nvJitLink"};
constexpr llvm::StringLiteral kOthers[] = {"c10_cuda", "torch_cuda", "cuda",    "cudnn",   "cufft",
                                           "curand",   "cupti",      "cufile",  "cudss",   "nvtool",
                                           "nvtx",     "nvcuvid",    "nvshmem", "nvidia",  "nvblas",
                                           "nvperf",   "nvml",       "nccl",    "cusparse"};

} // namespace

std::optional<int> cudaMajorOf(llvm::StringRef dependency) {
  llvm::StringRef name = baseName(dependency);
  const bool isDll = name.ends_with_insensitive(".dll");
  if (!name.consume_front("lib") && !isDll)
    return std::nullopt;
  auto isCalled = [&](llvm::StringRef prefix) { return name.starts_with_insensitive(prefix); };
  // Tools that copy libraries into wheels add a hash: "libcudart-9335f6a2.so.12".
  const llvm::StringRef stem = name.split('.').first;
  if ((stem.contains('-') && !stem.starts_with("nvrtc-builtins")) ||
      (llvm::none_of(kNumbered, isCalled) && llvm::none_of(kOthers, isCalled)))
    return std::nullopt;
  if (llvm::none_of(kNumbered, isCalled))
    return 0;
  int number = 0;
  llvm::StringRef digits = isDll ? name.split("64_").second.take_while(llvm::isDigit)
                                 : name.split(".so.").second.take_while(llvm::isDigit);
  if (digits.empty() || digits.getAsInteger(10, number))
    return 0;
  // nvrtc64_130_0.dll is CUDA 13.0, cudart64_13.dll CUDA 13; cudart64_110.dll was 11.
  return isDll && number >= 100 ? number / 10 : number;
}

bool isOfNvidiaDriver(llvm::StringRef dependency) {
  llvm::StringRef name = baseName(dependency);
  return llvm::any_of(
      std::initializer_list<llvm::StringRef>{"libcuda.so", "libnvidia-", "libnvcuvid.so",
                                             "libnvoptix.so", "nvcuda.dll", "nvml.dll",
                                             "nvcuvid.dll"},
      [&](llvm::StringRef beginning) { return name.starts_with_insensitive(beginning); });
}

bool isOtherCuda(llvm::StringRef dependency, const TorchBuild& torch) {
  const std::optional<int> major = cudaMajorOf(dependency);
  if (!major || !torch.cudaMajor)
    return false;
  return *torch.cudaMajor == 0 || (*major != 0 && *major != *torch.cudaMajor);
}

} // namespace tcfix::recipe
