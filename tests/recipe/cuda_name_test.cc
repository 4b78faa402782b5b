// Which CUDA a dependency belongs to.
#include "recipe/cuda_name.h"

#include <gtest/gtest.h>

namespace tcfix::recipe {
namespace {

TEST(CudaName, HasTheToolkitsNumberOrNone) {
  for (auto [name, major] :
       std::initializer_list<std::pair<const char*, int>>{{"libcudart.so.13", 13},
                                                          {"libnvrtc.so.12", 12},
                                                          {"libnppicc.so.13", 13},
                                                          {"libcudart.so.11.0", 11},
                                                          {"libc10_cuda.so", 0},
                                                          {"libtorch_cuda.so", 0},
                                                          {"libcudnn.so.9", 0},
                                                          {"libcuda.so.1", 0},
                                                          {"cudart64_12.dll", 12},
                                                          {"cudart64_110.dll", 11},
                                                          {"nvrtc64_130_0.dll", 13},
                                                          {"c10_cuda.dll", 0}})
    EXPECT_EQ(cudaMajorOf(name), major) << name;
  for (const char* name : {"libcurl.so.4", "libc10.so", "libtorch_cpu.so", "libavcodec.so.61",
                           "libnvjpeg-1a359ba7.so.13.0.1.86", "python312.dll", "libcups.so.2", ""})
    EXPECT_EQ(cudaMajorOf(name), std::nullopt) << name;
}

TEST(CudaName, TheDriverBelongsToTheMachine) {
  for (const char* name :
       {"libcuda.so.1", "libnvidia-ml.so.1", "/usr/lib/libcuda.so.1", "nvcuda.dll"})
    EXPECT_TRUE(recipe::isOfNvidiaDriver(name)) << name;
  for (const char* name : {"libcudart.so.12", "libcudnn.so.9", "libc10_cuda.so", "libcudadevrt.so"})
    EXPECT_FALSE(recipe::isOfNvidiaDriver(name)) << name;
}

} // namespace
} // namespace tcfix::recipe
