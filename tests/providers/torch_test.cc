// torch: where it is found, and which libraries are its own.

#include "providers/torch.h"

#include "support/folder_tree.h"

#include <gtest/gtest.h>

namespace tcfix::support {
namespace {

constexpr llvm::StringLiteral kSite = "venv/lib/python3.12/site-packages/";

class Torch : public testing::Test {
protected:
  Torch() {
    tree.file("venv/pyvenv.cfg", "home = /nowhere/bin\n");
    tree.makeFolder(kSite);
  }

  std::string inSite(llvm::StringRef name) { return (kSite + name).str(); }

  FolderTree tree;
  io::TargetDisk disk{{}};
};

TEST_F(Torch, IsFoundWithItsVersion) {
  auto torch = [&] {
    return providers::findTorch(*env::findEnvironment(tree.path("venv"), disk), disk,
                                tree.path(llvm::StringRef(kSite).drop_back()));
  };
  EXPECT_EQ(torch(), std::nullopt);
  tree.file(inSite("torch/version.py"), "import x\n__version__ = '2.8.0+cpu'\n");
  ASSERT_TRUE(torch().has_value());
  EXPECT_EQ(torch()->version, "2.8.0+cpu");
  EXPECT_EQ(torch()->libFolder, "");
  tree.makeFolder(inSite("torch/lib"));
  tree.makeFolder(inSite("torch-2.9.1+cu128.dist-info"));
  EXPECT_EQ(torch()->version, "2.9.1+cu128");
  EXPECT_EQ(torch()->libFolder, tree.path(inSite("torch/lib")));
}

TEST_F(Torch, ComesFromAnotherSiteIfTheOwnHasNone) {
  tree.file("venv/pyvenv.cfg",
            "home = " + tree.path("base/bin") + "\ninclude-system-site-packages = true\n");
  tree.makeFolder("base/lib/python3.12/site-packages/torch/lib");
  auto torch = providers::findTorch(*env::findEnvironment(tree.path("venv"), disk), disk,
                                    tree.path(llvm::StringRef(kSite).drop_back()));
  ASSERT_TRUE(torch.has_value());
  EXPECT_EQ(torch->libFolder, tree.path("base/lib/python3.12/site-packages/torch/lib"));
}

TEST(TorchLibrary, IsKnownByItsNameOnEveryPlatform) {
  for (const char* name :
       {"@rpath/libc10.dylib", "libc10_cuda.so", "libtorch.so", "libtorch_cpu.dylib",
        "/site/torch/lib/libtorch_python.so", "c10.dll", "TORCH_CPU.DLL", "torch.dll"})
    EXPECT_TRUE(providers::isTorchLibrary(name)) << name;
  // Packages and extension modules for torch have similar names.
  for (const char* name : {"libtorchcodec_core7.so", "libtorchvision.so", "libtorchaudio.dylib",
                           "torchvision.dll", "torch_module.so", "libc100.so", "libavcodec.so.61"})
    EXPECT_FALSE(providers::isTorchLibrary(name)) << name;
}

} // namespace
} // namespace tcfix::support
