// The commands: they install compatible versions, and never replace what cannot be installed again.
#include "advice/advice.h"

#include <gtest/gtest.h>

namespace tcfix::advice {
namespace {

Context contextOf(Platform platform, const char* release, const char* torch) {
  Context context;
  context.machine = {platform, platform == Platform::MacOs ? "arm64" : "x86_64", "3.12"};
  context.package = "torchcodec";
  context.release = release;
  context.torch = recipe::torchBuildOf(torch);
  context.applyCommand = "tcfix apply env";
  return context;
}

const std::string kCpu = " --index-url https://download.pytorch.org/whl/cpu";

TEST(Advice, FfmpegOfAMajorThatFits) {
  auto command = [](Platform platform, const char* release, Installer installer) {
    Context context = contextOf(platform, release, "2.9.1");
    context.installer = installer;
    context.environment = "env";
    return ffmpegInstallCommand(context, {});
  };
  EXPECT_EQ(command(Platform::Linux, "0.7.0", Installer::Pip),
            "pip install \"av<16\" && tcfix apply env");
  EXPECT_EQ(command(Platform::Linux, "0.9.1", Installer::Pip),
            "pip install \"av<19\" && tcfix apply env");
  EXPECT_EQ(command(Platform::Windows, "0.17.0", Installer::Pip),
            "pip install av\ntcfix apply env"); // Windows PowerShell 5.1 has no "&&"
  EXPECT_EQ(command(Platform::Linux, "", Installer::Pip),
            "pip install \"av<16\" && tcfix apply env");
  EXPECT_EQ(command(Platform::Linux, "0.9.1", Installer::Uv),
            "uv pip install --python env \"av<19\" && tcfix apply env");
  EXPECT_EQ(command(Platform::MacOs, "0.9.1", Installer::Pip),
            "brew install ffmpeg@8 && tcfix apply env");
  EXPECT_EQ(command(Platform::MacOs, "0.9.1", Installer::Conda),
            "conda install -c conda-forge \"ffmpeg<9\" && tcfix apply env");
  EXPECT_EQ(command(Platform::Linux, "0.7.0", Installer::Pixi),
            "pixi add \"ffmpeg>=7,<8\" && tcfix apply env");
}

TEST(Advice, TheMajorsOfTheLibrariesOverrideTheTable) {
  // The user's own build, only for FFmpeg 6.
  const Context context = contextOf(Platform::Linux, "0.9.1", "2.9.1");
  EXPECT_EQ(ffmpegInstallCommand(context, {6}), "pip install \"av<13\" && tcfix apply env");
  EXPECT_EQ(ffmpegInstallCommand(context, {5}), "");
}

TEST(Advice, DllsBesideAnFfmpegThatHasNone) {
  Context context = contextOf(Platform::Windows, "0.7.0", "2.8.0");
  EXPECT_EQ(sharedFfmpegCommand(context, {}),
            "winget install Gyan.FFmpeg.Shared --version 7.1.1\ntcfix apply env");
  context.machine.platform = Platform::Linux;
  EXPECT_EQ(sharedFfmpegCommand(context, {}), "pip install \"av<16\" && tcfix apply env");
}

TEST(Advice, TheReleaseThatGoesWithThisTorch) {
  Context context = contextOf(Platform::Linux, "0.7.0", "2.9.1+cu128");
  EXPECT_EQ(fittingReleaseCommand(context), "pip install \"torchcodec==0.9.*\" && tcfix apply env");
  // From 0.14 on the package index's wheels need CUDA 13.
  context.torch = recipe::torchBuildOf("2.12.0+cpu");
  EXPECT_EQ(fittingReleaseCommand(context),
            "pip install \"torchcodec==0.17.*\"" + kCpu + " && tcfix apply env");
  context.torch = recipe::torchBuildOf("2.12.0+cu130");
  EXPECT_EQ(fittingReleaseCommand(context),
            "pip install \"torchcodec==0.17.*\" && tcfix apply env");
  // pip would keep an equal version.
  context.release = "0.17.0";
  context.torch = recipe::torchBuildOf("2.12.0+cu128");
  EXPECT_EQ(fittingReleaseCommand(context),
            "pip install --force-reinstall --no-deps \"torchcodec==0.17.*\" --index-url "
            "https://download.pytorch.org/whl/cu128 && tcfix apply env");
  context.installer = Installer::Uv;
  EXPECT_EQ(fittingReleaseCommand(context),
            "uv pip install --reinstall --no-deps \"torchcodec==0.17.*\" --index-url "
            "https://download.pytorch.org/whl/cu128 && tcfix apply env");
}

TEST(Advice, WithoutAChannelTheReleaseWithoutCuda) {
  Context context = contextOf(Platform::Linux, "0.17.0", "2.12.0a0+nv26.1");
  context.torch.cudaMajor = 12;
  EXPECT_EQ(fittingReleaseCommand(context),
            "pip install \"torchcodec==0.13.*\" && tcfix apply env");
  context.machine.arch = "aarch64"; // all of its wheels need CUDA
  EXPECT_EQ(fittingReleaseCommand(context), "");
}

TEST(Advice, IfNothingFitsBothAreReinstalled) {
  const std::string both = "pip install \"torch>=2.11\" \"torchcodec==0.17.*\"";
  Context context = contextOf(Platform::Linux, "", "2.3.0+cu121");
  EXPECT_EQ(fittingReleaseCommand(context), both + " && tcfix apply env");
  context.torch = recipe::torchBuildOf("2.3.0+cpu");
  EXPECT_EQ(fittingReleaseCommand(context), both + kCpu + " && tcfix apply env");
  for (const char* torch : {"2.3.0a0+nv24.1", "2.3.0+git1234"}) {
    context.torch = recipe::torchBuildOf(torch);
    EXPECT_EQ(fittingReleaseCommand(context), "") << torch;
  }
  context.torch = recipe::torchBuildOf("2.3.0");
  context.canReplaceTorch = false;
  EXPECT_EQ(fittingReleaseCommand(context), "");
}

// The package index only has torch without CUDA for Windows.
TEST(Advice, OnWindowsTorchKeepsItsCuda) {
  Context context = contextOf(Platform::Windows, "", "2.6.0+cu126");
  auto withCuda = [](const char* channel) {
    return std::string(
               "pip install \"torch==2.9.*\" --index-url https://download.pytorch.org/whl/") +
           channel + "\npip install \"torchcodec==0.9.*\"\ntcfix apply env";
  };
  EXPECT_EQ(newestPairCommand(context), withCuda("cu128"));
  context.torch = recipe::torchBuildOf("2.6.0+cu130");
  EXPECT_EQ(newestPairCommand(context), withCuda("cu130"));
  context.torch = recipe::torchBuildOf("2.6.0+cu118"); // its driver may be too old for a later one
  EXPECT_EQ(newestPairCommand(context), "");
  context.torch = recipe::torchBuildOf("2.6.0+cpu");
  const std::string both = "pip install \"torch>=2.11\" \"torchcodec==0.17.*\"\ntcfix apply env";
  EXPECT_EQ(newestPairCommand(context), both);
  context.torch = {}; // from a text that does not contain it
  EXPECT_EQ(newestPairCommand(context), "");
  context.torchIsMissing = true;
  EXPECT_EQ(newestPairCommand(context), both);
}

TEST(Advice, ABuildOfPyTorchsOwnIndex) {
  EXPECT_EQ(channelCommand(contextOf(Platform::Linux, "", ""), "torch", "2.4.0+cu124"),
            "pip install torch==2.4.0+cu124 --index-url https://download.pytorch.org/whl/cu124");
}

TEST(Advice, TheSystemsPackageWithALibrary) {
  const Context linux = contextOf(Platform::Linux, "", "");
  EXPECT_EQ(systemPackageCommand(linux, {"libGL.so.1"}), "sudo apt install libgl1");
  EXPECT_EQ(systemPackageCommand({}, {"VCRUNTIME140_1.dll"}),
            "winget install Microsoft.VCRedist.2015+.x64");
  for (const char* unknown : {"VCRUNTIME140D.dll", "libx.so.1", ""})
    EXPECT_EQ(systemPackageCommand(linux, {unknown}), "") << unknown;
  EXPECT_EQ(systemPackageCommand(linux, {"libGL.so.1", "libx.so.1", "libGL.so.1", "libSM.so.6"}),
            "sudo apt install libgl1 libsm6");
}

TEST(Advice, HomebrewsFormulaWithALibrary) {
  const Context mac = contextOf(Platform::MacOs, "", "");
  EXPECT_EQ(systemPackageCommand(mac, {"libgobject-2.0.dylib"}),
            "brew install glib && export DYLD_FALLBACK_LIBRARY_PATH=\"$(brew --prefix)/lib\"");
  EXPECT_EQ(systemPackageCommand(mac, {"libGL.so.1"}), "");
  EXPECT_EQ(systemPackageCommand(contextOf(Platform::Windows, "", ""), {"libGL.so.1"}), "");
}

TEST(Advice, ALibraryOfCudaThatIsOpenedByName) {
  Context context = contextOf(Platform::Linux, "", "");
  const std::string rest = "/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"";
  EXPECT_EQ(openedCudaCommand(context, "libcublas.so.12"),
            "pip install nvidia-cublas-cu12 && export LD_LIBRARY_PATH=\"$(python -c 'import "
            "nvidia.cublas as m; print(m.__path__[0])')" +
                rest);
  EXPECT_EQ(openedCudaCommand(context, "libcudnn_ops.so.9"),
            "pip install \"nvidia-cudnn-cu12>=9,<10\" && export LD_LIBRARY_PATH=\"$(python -c "
            "'import nvidia.cudnn as m; print(m.__path__[0])')" +
                rest);
  for (const char* unknown : {"cublas64_12.dll", "libx.so.12", "libcufft.so.11"})
    EXPECT_EQ(openedCudaCommand(context, unknown), "") << unknown;
}

TEST(Advice, TheReleaseForTorchsCuda) {
  auto command = [](const char* library, const char* torch) {
    return cudaReleaseCommand(contextOf(Platform::Linux, "", torch), library);
  };
  EXPECT_EQ(command("libcublas.so.11", "2.1.0+cu121"), "pip install \"ctranslate2>=4,<4.5\"");
  EXPECT_EQ(command("libcublas.so.12", "2.1.0+cu118"), "pip install \"ctranslate2<4\"");
  EXPECT_EQ(command("cudnn_ops_infer64_8.dll", "2.8.0+cu128"),
            "pip install \"ctranslate2>=4.5,<5\"");
  EXPECT_EQ(command("libcublas.so.12", "2.8.0+cu128"), ""); // the same CUDA
  EXPECT_EQ(command("libcublas.so.12", "2.8.0+cu130"), ""); // none for CUDA 13 is known
  for (const char* torch : {"", "2.8.0+cpu"})
    EXPECT_EQ(command("libcublas.so.12", torch), "");
}

TEST(Advice, WhatTorchFindsInsteadOfItsOwnLibrary) {
  const Context context = contextOf(Platform::Linux, "", "");
  EXPECT_EQ(torchSymbolCommand(context, "iJIT_NotifyEvent", ""), "conda install \"mkl<2024.1\"");
  EXPECT_NE(torchSymbolCommand(context, "__nvJitLinkAddData_12_1", "libnvJitLink.so.12")
                .find("nvidia.nvjitlink"),
            std::string::npos);
  EXPECT_EQ(torchSymbolCommand(context, "_ZN3c10E", "libc10.so"), "");
}

TEST(Advice, TheDistributionOfAModule) {
  EXPECT_EQ(distributionOf("PIL"), "Pillow");
  EXPECT_EQ(distributionOf("cv2"), ""); // four packages contain it
  EXPECT_EQ(distributionOf("numpy"), "numpy");
}

TEST(Advice, TheUsersOwnBuildIsNeverReplaced) {
  Context context = contextOf(Platform::Linux, "0.9.1+local", "2.8.0");
  context.canReplace = false;
  EXPECT_EQ(fittingReleaseCommand(context), "");
  EXPECT_EQ(reinstallCommand(context), "");
  EXPECT_EQ(newestPairCommand(context), "");
  EXPECT_EQ(sameChannelCommand(context), "");
  context.canReplaceTorch = false;
  EXPECT_EQ(torchReinstallCommand(context, false), "");
  context = contextOf(Platform::Linux, "0.9.1", "2.9.0a0+nv25.8");
  EXPECT_EQ(torchReinstallCommand(context, false), "");
}

TEST(Advice, TheSameVersionAgain) {
  Context context = contextOf(Platform::Linux, "0.9.1", "2.9.1");
  EXPECT_EQ(reinstallCommand(context),
            "pip install --force-reinstall --no-deps torchcodec==0.9.1 && tcfix apply env");
  EXPECT_EQ(torchReinstallCommand(context, true), "pip install --force-reinstall torch==2.9.1");
  context.release = "0.9.1+cpu";
  context.torch = recipe::torchBuildOf("2.9.1+cpu");
  EXPECT_EQ(reinstallCommand(context), "pip install --force-reinstall --no-deps torchcodec==0.9.1" +
                                           kCpu + " && tcfix apply env");
  EXPECT_EQ(torchReinstallCommand(context, false),
            "pip install --force-reinstall --no-deps torch==2.9.1" + kCpu);
  context.release.clear(); // from a text: the one that fits
  EXPECT_EQ(reinstallCommand(context),
            "pip install --force-reinstall --no-deps \"torchcodec==0.9.*\" && tcfix apply env");
  context.torch = {}; // unknown
  EXPECT_EQ(reinstallCommand(context), "");
  context.isFromConda = true;
  context.release = "0.9.1";
  EXPECT_EQ(reinstallCommand(context), "conda install --force-reinstall \"torchcodec=0.9.1\"");
  context = contextOf(Platform::Linux, "1.2", "");
  context.package = "my_ext";
  EXPECT_EQ(reinstallCommand(context), "pip install --force-reinstall --no-deps my_ext==1.2");
}

TEST(Advice, TheTorchOfThisRelease) {
  EXPECT_EQ(torchInstallCommand(contextOf(Platform::Linux, "0.9.1", "")),
            "pip install \"torch==2.9.*\"");
  EXPECT_EQ(torchInstallCommand(contextOf(Platform::Linux, "0.17.0", "")),
            "pip install \"torch>=2.11\"");
  Context other = contextOf(Platform::Linux, "0.24.1", "");
  other.package = "torchvision";
  EXPECT_EQ(torchInstallCommand(other), "pip install torchvision==0.24.1");
}

TEST(Advice, InstallingAMissingPackageKeepsTorch) {
  const Context context = contextOf(Platform::Linux, "", "2.9.1+cu128");
  EXPECT_EQ(installCommand(context, "torchcodec"),
            "pip install \"torchcodec==0.9.*\" && tcfix apply env");
  EXPECT_EQ(installCommand(context, "torchvision"), "pip install torchvision torch==2.9.1");
  EXPECT_EQ(installCommand(context, "av"), "pip install \"av<16\"");
  EXPECT_EQ(installCommand(contextOf(Platform::Linux, "0.9.1", ""), "av"), "pip install \"av<19\"");
}

TEST(Advice, PackagesOfTorchsFamilyFromItsChannel) {
  Context context = contextOf(Platform::Linux, "", "2.9.1+cu128");
  EXPECT_EQ(sameBuildCommand(context, "torchvision"),
            "pip install --force-reinstall torchvision torch==2.9.1 --index-url "
            "https://download.pytorch.org/whl/cu128");
  EXPECT_EQ(sameBuildCommand(context, "numpy"), "");
  context.torch = recipe::torchBuildOf("2.9.1"); // of no known channel
  EXPECT_EQ(sameBuildCommand(context, "torchvision"), "");
}

TEST(Advice, ATorchIsReinstalledOnlyIfItsBuildIsKnown) {
  Context context = contextOf(Platform::Windows, "", "2.9.1");
  EXPECT_EQ(torchReinstallCommand(context, false), ""); // the index has it without CUDA only
  context.torch = recipe::torchBuildOf("2.9");
  context.machine.platform = Platform::Linux;
  EXPECT_EQ(torchReinstallCommand(context, false), "");
}

TEST(Advice, NvidiasWheelsForTheCudaThatTorchHas) {
  Context context = contextOf(Platform::Linux, "0.17.0", "2.12.0+cu130");
  EXPECT_EQ(cudaInstallCommand(context, "libnvrtc.so.13"),
            "pip install \"nvidia-cuda-nvrtc>=13,<14\" && tcfix apply env");
  EXPECT_EQ(cudaInstallCommand(context, "libcudnn.so.9"),
            "pip install \"nvidia-cudnn-cu13>=9,<10\" && tcfix apply env");
  EXPECT_EQ(cudaInstallCommand(context, "libcudnn.so.8"), ""); // torch needs its own
  EXPECT_EQ(cudaInstallCommand(context, "libc10_cuda.so"), "");
  context.torch = recipe::torchBuildOf("2.9.1+cu128");
  EXPECT_EQ(cudaInstallCommand(context, "libnppicc.so.12"),
            "pip install nvidia-npp-cu12 && tcfix apply env");
  EXPECT_EQ(cudaInstallCommand(context, "libnvrtc.so.13"), "");
  context.torch = recipe::torchBuildOf("2.12.0+cpu");
  EXPECT_EQ(cudaInstallCommand(context, "libnvrtc.so.13"), "");
}

TEST(Advice, HeicNeedsLibheif) {
  EXPECT_EQ(libheifCommand(contextOf(Platform::MacOs, "0.17.0", "")),
            "brew install libheif && tcfix apply env");
  EXPECT_EQ(libheifCommand(contextOf(Platform::Windows, "0.17.0", "")), "");
}

TEST(Advice, QuotesOfTheShell) {
  EXPECT_EQ(quoted("/a/b.so"), "/a/b.so");
  EXPECT_EQ(quoted("/a b"), "'/a b'");
  EXPECT_EQ(quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted(R"(C:\a b)", Platform::Windows), R"("C:\a b")");
  EXPECT_EQ(quoted("a\nb"), "'a?b'"); // a line break ends a step
}

} // namespace
} // namespace tcfix::advice
