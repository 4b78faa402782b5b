// Shapes of failures that people paste: cut off, without versions, of other packages and builds.
#include "traceback/explain.h"

#include <gmock/gmock.h>

namespace tcfix::traceback {
namespace {

using doctor::Diagnosis;
using testing::HasSubstr;
using testing::Not;

std::string firstCode(const Diagnosis& diagnosis) {
  return diagnosis.findings().empty() ? "" : diagnosis.findings().front()->code;
}

std::string codeOf(llvm::StringRef text) {
  return firstCode(explainTraceback(text, "text"));
}

std::string actionOf(llvm::StringRef text) {
  return explainTraceback(text, "text").action;
}

std::string messageOf(llvm::StringRef text) {
  const Diagnosis diagnosis = explainTraceback(text, "text");
  return diagnosis.findings().empty() ? "" : diagnosis.findings().front()->message;
}

TEST(Shapes, ASymbolWithoutTheSecondColon) {
  EXPECT_EQ(codeOf("ImportError: /v/_C.so: undefined symbol _ZN3c105ErrorE"), "missing-symbols");
  EXPECT_EQ(codeOf("ImportError: /v/_C.so: undefined symbol: abort"), "missing-symbols");
  EXPECT_EQ(codeOf("an undefined symbol error on startup"), "");
}

TEST(Shapes, TheHeadlineOfThePackagesErrorAlone) {
  EXPECT_EQ(codeOf("Could not load libtorchcodec"), "cause-not-told");
  EXPECT_EQ(codeOf("Error: Could not load libtorchcodec\nPython 3.12.11"), "cause-not-told");
  EXPECT_EQ(codeOf("RuntimeError: Could not load libtorchcodec_xpu"), "plugin-broken");
}

TEST(Shapes, APathWhoseBeginningIsLeftOut) {
  EXPECT_EQ(codeOf("OSError: Could not load this library: ...libtorchcodec_core8.dylib\n"
                   "torch 2.10.0\ntorchcodec 0.14\n"),
            "torch-version-mismatch");
  EXPECT_EQ(codeOf("Could not load library: ... libtorchcodec_custom_ops7.so"), "cause-not-told");
  EXPECT_EQ(
      codeOf("Could not load library libcudnn_ops.so.9. Error: libcudnn_ops.so.9: cannot open "
             "shared object file: No such file or directory"),
      "cuda-missing");
}

TEST(Shapes, ABrokenTorchIsReplacedByItsOwnVersionOnly) {
  constexpr llvm::StringLiteral kDamaged =
      "OSError: [WinError 193] %1 is not a valid Win32 application, Error loading "
      "\"C:\\v\\Lib\\site-packages\\torch\\lib\\torch_cpu.dll\" or one of its dependencies.\n";
  EXPECT_EQ(actionOf(kDamaged), "tcfix doctor --package torch");
  EXPECT_EQ(actionOf(("torch==2.9.1+cpu\n" + kDamaged).str()),
            "pip install --force-reinstall --no-deps torch==2.9.1 --index-url "
            "https://download.pytorch.org/whl/cpu");
}

TEST(Shapes, TruncatedAfterAnImport) {
  constexpr llvm::StringLiteral kFrame = "Traceback (most recent call last):\n"
                                         "  File \"/v/a.py\", line 3, in load\n";
  EXPECT_EQ(codeOf((kFrame + "    from torchcodec.encoders import A\n  File \"/v/l").str()),
            "cause-not-told");
  EXPECT_EQ(codeOf((kFrame + "    import torchcodec\n           ^^^^^\n").str()), "cause-not-told");
  EXPECT_EQ(codeOf((kFrame + "    import torchcodec\nKeyError: 'x'\n").str()), "");
  EXPECT_EQ(codeOf((kFrame + "    import other\n").str()), "");
}

TEST(Shapes, FramesOfTorchaudioShowTorch) {
  constexpr llvm::StringLiteral kOld =
      "[start of libtorchcodec loading traceback]\n"
      "FFmpeg version 7: Could not load this library: /v/torchcodec/libtorchcodec_core7.dylib\n"
      "FFmpeg version 6: Could not load this library: /v/torchcodec/libtorchcodec_core6.dylib\n"
      "FFmpeg version 5: Could not load this library: /v/torchcodec/libtorchcodec_core5.dylib\n"
      "FFmpeg version 4: Could not load this library: /v/torchcodec/libtorchcodec_core4.dylib\n"
      "[end of libtorchcodec loading traceback].\n";
  const std::string newer =
      kOld.str() + "  File \"/v/torchaudio/_torchcodec.py\", line 82, in load_with_torchcodec\n";
  EXPECT_EQ(codeOf(newer), "torch-version-mismatch");
  EXPECT_EQ(actionOf(newer), "tcfix doctor"); // which torch it is remains open
  const std::string same =
      kOld.str() + "  File \"/v/torchaudio/_torchcodec.py\", line 83, in load_with_torchcodec\n";
  EXPECT_EQ(codeOf(same), "cause-not-told"); // torch 2.8
}

TEST(Shapes, AModelsOwnFramesShowTorch) {
  EXPECT_THAT(
      actionOf("  File \"/v/torch/nn/modules/module.py\", line 1773, in _wrapped_call_impl\n"
               "ModuleNotFoundError: No module named 'torchcodec'\n"),
      HasSubstr("torchcodec==0.7.*"));
  EXPECT_THAT(
      actionOf("  File \"/v/pytorch/nn/modules/module.py\", line 1773, in _wrapped_call_impl\n"
               "ModuleNotFoundError: No module named 'torchcodec'\n"),
      Not(HasSubstr("torchcodec==0.7.*")));
}

TEST(Shapes, ATorchThatPipMustNotTouch) {
  constexpr llvm::StringLiteral kBroken =
      "import torch\nImportError: /v/site-packages/torch/lib/libtorch_python.so: undefined symbol: "
      "_ZN5torch1xEv\n";
  EXPECT_EQ(actionOf(("torch==2.9.1\n" + kBroken).str()),
            "pip install --force-reinstall --no-deps torch==2.9.1");
  for (llvm::StringRef origin :
       {"How you installed PyTorch (`conda`, `pip`, source): source\n",
        "  File \"/usr/lib/python3.13/site-packages/torch/__init__.py\", line 81\n",
        "  File \"/usr/lib/python3/dist-packages/torch/__init__.py\", line 81\n",
        "conda install torch -c pytorch\n"})
    EXPECT_EQ(actionOf(("torch==2.9.1\n" + origin + kBroken).str()), "tcfix doctor --package torch")
        << origin.str();
  // Two numbers are a fingerprint's, and do not mention its channel.
  EXPECT_EQ(actionOf(("torch==2.9\n" + kBroken).str()), "tcfix doctor --package torch");
}

TEST(Shapes, WhatTorchNeedsOfTheSystem) {
  constexpr llvm::StringLiteral kFrame =
      "  File \"/v/site-packages/torch/__init__.py\", line 81, in <module>\n"
      "    from torch._C import *\n";
  auto broken = [&](llvm::StringRef before, llvm::StringRef library) {
    return (before + kFrame + "ImportError: " + library +
            ": cannot open shared object file: No such file or directory")
        .str();
  };
  EXPECT_EQ(actionOf(broken("torch==2.9.1\n", "libcudnn.so.9")),
            "pip install --force-reinstall torch==2.9.1");
  EXPECT_EQ(actionOf(broken("torch==2.9.1\n", "libopenblas.so.0")),
            "sudo apt install libopenblas0");
  // Not of PyTorch's own wheels.
  for (llvm::StringRef before : {"torch==1.4.0\n", "JetPack 6.2\ntorch==2.8.0\n"})
    EXPECT_EQ(actionOf(broken(before, "libcufft.so.10.0")), "tcfix doctor --package torch")
        << before.str();
}

TEST(Shapes, ATorchThatIsNotNamedStays) {
  const std::string text =
      "OSError: /v/torchcodec/libtorchcodec_core6.so: undefined symbol: torch_from_blob";
  EXPECT_EQ(actionOf(text), "tcfix doctor");
  EXPECT_THAT(messageOf(text), HasSubstr("0.10 for torch 2.10"));
}

TEST(Shapes, WhatATorchForAmdNeeds) {
  const std::string text = "OSError: [WinError 126] x Error loading "
                           "\"C:\\v\\Lib\\site-packages\\torch\\lib\\c10_hip.dll\" or one of its";
  EXPECT_EQ(codeOf(text), "torch-broken");
  EXPECT_EQ(actionOf(text), "tcfix doctor --package torch");
  EXPECT_THAT(messageOf(text), HasSubstr("AMD's driver"));
}

TEST(Shapes, CudaOfOtherPackages) {
  EXPECT_EQ(codeOf("ImportError: libcublas.so.10: cannot open shared object file: No such file"),
            "cuda-missing");
  EXPECT_EQ(codeOf("torch 2.9.1+cu128\n"
                   "ImportError: libcublas.so.10: cannot open shared object file: No such file"),
            "cuda-variant-mismatch");
  EXPECT_EQ(codeOf("ImportError: libcudart.so.13: cannot open shared object file: No such file"),
            "cuda-variant-mismatch");
}

TEST(Shapes, PackagesOfTorchsFamilyComeFromItsChannel) {
  EXPECT_EQ(actionOf("torchvision 0.15.2+rocm5.4.2 requires torch==2.0.1, but you have torch "
                     "2.0.0+cu118 which is incompatible.\n/v/site-packages/torchvision/io/image.py"
                     ":13: UserWarning: Failed to load image Python extension: 'libc10_hip.so: "
                     "cannot open shared object file: No such file or directory'"),
            "pip install --force-reinstall torchvision torch==2.0.0 --index-url "
            "https://download.pytorch.org/whl/cu118");
}

TEST(Shapes, ThePackageToLookAt) {
  auto missing = [](llvm::StringRef folder, llvm::StringRef module) {
    return ("  File \"/v/lib/python3.10/site-packages/" + folder +
            "/a.py\", line 7, in <module>\n" + "    import " + module +
            "\nImportError: libother.so: cannot open shared object file: x")
        .str();
  };
  EXPECT_EQ(actionOf(missing("conv", "conv")), "tcfix doctor --package conv");
  EXPECT_EQ(actionOf(missing("conv", "conv_cuda")), "tcfix doctor --package conv");
  EXPECT_EQ(actionOf(missing("conv", "selective_scan")), "tcfix doctor FILE"); // of anyone
}

TEST(Shapes, WhatIsLeftOfATracebackIsNotFine) {
  for (llvm::StringRef text :
       {"File /opt/lib/python3.10/ctypes/__init__.py:374, in CDLL.__init__(self, name)",
        "File /opt/site-packages/a/__init__.py:12\n      9 # Note", "  File \"/Users/user/ba",
        "  File \"C:\\Users\\user\\lib\\site-p", "    import x\n    ^^^^^^^^\n",
        "    self._handle = _dlopen(self._name, mode)", "Termination Reason: CODESIGNING",
        "PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)",
        "this version of TorchCodec. Refer to the version compatibility"})
    EXPECT_FALSE(explainTraceback(text, "text").isOk()) << text.str();
  for (llvm::StringRef text : {"5 | let x = 1;\n  |     ^^^ unused", "a.c:3: int x;\n ^~~",
                               "The 'encoding' parameter: UserWarning: it is not fully supported"})
    EXPECT_TRUE(explainTraceback(text, "text").isOk()) << text.str();
}

TEST(Shapes, APartOfAPackage) {
  EXPECT_EQ(codeOf("ModuleNotFoundError: No module named 'numpy._core._multiarray_umath'"),
            "package-damaged");
  EXPECT_EQ(codeOf("ModuleNotFoundError: No module named 'google.protobuf'"), "package-missing");
  EXPECT_THAT(messageOf("ModuleNotFoundError: No module named 'google.protobuf'"),
              HasSubstr("the module google.protobuf"));
  EXPECT_THAT(actionOf("ModuleNotFoundError: No module named 'google.protobuf'"),
              Not(HasSubstr("pip install")));
}

TEST(Shapes, LibrariesThatCtypesDoesNotFind) {
  for (llvm::StringRef text :
       {"OSError: ctypes.util.find_library() did not manage to locate a library called 'sndfile'",
        "OSError: sndfile library not found",
        "OSError: cannot load library 'libsndfile.so': libsndfile.so: cannot open shared object "
        "file: No such file or directory"}) {
    EXPECT_EQ(codeOf(text), "missing-dependency") << text.str();
    EXPECT_EQ(actionOf(text), "sudo apt install libsndfile1") << text.str();
  }
  EXPECT_EQ(codeOf("the library not found error"), "");
}

TEST(Shapes, ResolversNameTheDistribution) {
  EXPECT_THAT(
      messageOf("error: Distribution `torch==2.5.1 @ registry+https://x/whl/cu124` can't be "
                "installed because it doesn't have a source distribution or wheel for the "
                "current platform\n\nhint: You're on Windows (`win_amd64`), but"),
      HasSubstr("torch"));
  EXPECT_EQ(codeOf("error: found distribution torchaudio==2.0.0 @ registry+https://x with neither "
                   "wheels nor source distribution"),
            "package-missing");
  // That index was asked already.
  EXPECT_THAT(actionOf("pip install torch==1.5.0+cpu -f https://download.pytorch.org/whl/x.html\n"
                       "ERROR: No matching distribution found for torch==1.5.0+cpu"),
              Not(HasSubstr("pip install")));
}

TEST(Shapes, NoTorchOfTheIndexForAJetson) {
  constexpr llvm::StringLiteral kNone =
      "ERROR: No matching distribution found for torchcodec==0.2.1 linux_x86_64 cp312\n";
  EXPECT_THAT(actionOf(kNone), HasSubstr("torch>="));
  EXPECT_THAT(actionOf(("JetPack 6.2\n" + kNone).str()), Not(HasSubstr("torch>=")));
}

TEST(Shapes, LibrariesThatProgramsOpenByName) {
  for (llvm::StringRef text :
       {"RuntimeError: Library libcublas.so.11 is not found or cannot be loaded",
        "Could not locate cudnn_ops64_9.dll. Please make sure it is in your library path!",
        "Could not load library cudnn_ops_infer64_8.dll. Error code 126\n",
        "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9, libcudnn_ops.so}"})
    EXPECT_EQ(codeOf(text), "cuda-missing") << text.str();
  EXPECT_THAT(messageOf("Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9, "
                        "libcudnn_ops.so}"),
              HasSubstr("libcudnn_ops.so.9 "));
  EXPECT_THAT(messageOf("Library libcublas.so.11 is not found or cannot be loaded"),
              HasSubstr("ctranslate2 opens libcublas.so.11"));
  EXPECT_THAT(actionOf("torch  2.1.0+cu121\nRuntimeError: Library libcublas.so.11 is not found or "
                       "cannot be loaded"),
              HasSubstr("ctranslate2>=4"));
  for (llvm::StringRef text : {"Could not locate the configuration file.",
                               "Library card is not found or cannot be loaded"})
    EXPECT_EQ(codeOf(text), "") << text.str();
}

TEST(Shapes, PackagesThatReportTheirOwnLibrary) {
  EXPECT_EQ(codeOf("RuntimeError: Couldn't load custom C++ ops. This can happen if"),
            "cause-not-told");
  EXPECT_EQ(actionOf("RuntimeError: Couldn't load custom C++ ops. This can happen if"),
            "tcfix doctor --package torchvision");
  EXPECT_EQ(actionOf("ImportError: Failed to intialize FFmpeg extension. Tried versions: ['6', "
                     "'5', '4', '']."),
            "tcfix doctor --package torchaudio");
  EXPECT_EQ(codeOf("RuntimeError: No such operator torchvision::nms"), "torch-version-mismatch");
  EXPECT_EQ(codeOf("RuntimeError: No such operator mine::op"), "");
}

TEST(Shapes, AnOlderSystemOrAnotherCLibrary) {
  constexpr llvm::StringLiteral kSymbol =
      "ImportError: dlopen(/v/m.so, 0x0002): Symbol not found: _cblas_sgemm$NEWLAPACK\n"
      "  Referenced from: <F6C66D71> /v/lib/libm.dylib (built for macOS 14.0 which is newer than "
      "running OS)\n  Expected in: <70C4> ";
  EXPECT_EQ(
      codeOf((kSymbol + "/System/Library/Frameworks/Accelerate.framework/A/Accelerate").str()),
      "macos-too-old");
  EXPECT_THAT(messageOf((kSymbol + "/usr/lib/libSystem.B.dylib").str()),
              HasSubstr("libm.dylib requires macOS 14.0"));
  EXPECT_EQ(codeOf((kSymbol + "/opt/homebrew/lib/libblas.dylib").str()), "missing-symbols");
  EXPECT_EQ(codeOf("ImportError: Error relocating /v/a.so: backtrace: symbol not found"),
            "glibc-too-old");
  EXPECT_EQ(codeOf("ImportError: Error relocating /v/a.so: __memcpy_chk: symbol not found"),
            "glibc-too-old");
  EXPECT_EQ(codeOf("ImportError: Error relocating /v/a.so: my_function: symbol not found"),
            "missing-symbols");
  EXPECT_EQ(codeOf("ImportError: Error relocating /v/a.so: (null): initial-exec TLS resolves to "
                   "dynamic definition in /v/a.so"),
            "static-tls-full");
}

TEST(Shapes, TheKindOfStringOfAnOldTorch) {
  const std::string symbol = "ImportError: /v/site-packages/mine/_C.so: undefined symbol: "
                             "_ZNK5torch8autograd4Node4nameB5cxx11Ev\n";
  EXPECT_EQ(codeOf(symbol + "torch==2.4.0"), "cxx11-abi");
  EXPECT_EQ(codeOf(symbol + "torch==2.7.0"), "missing-symbols");
  EXPECT_EQ(codeOf(symbol), "missing-symbols");
}

TEST(Shapes, TheSubjectOfASentence) {
  EXPECT_EQ(
      actionOf("ImportError: [/v/site-packages/mine/_C.so](https://x/v/mine/_C.so): undefined "
               "symbol: _ZN2at4_ops5zeros4callE"),
      "tcfix doctor /v/site-packages/mine/_C.so");
  EXPECT_THAT(messageOf("from onnxruntime_genai.x import *\nImportError: libfoo.so.8: cannot open "
                        "shared object file: No such file or directory"),
              HasSubstr("onnxruntime_genai needs libfoo.so.8"));
  EXPECT_THAT(messageOf("Could not load library libx.so.12. Error: libx.so.12: cannot open shared "
                        "object file: No such file or directory"),
              testing::StartsWith("a library needs libx.so.12"));
  EXPECT_THAT(messageOf("from lxml import etree ImportError: DLL load failed: The specified "
                        "procedure could not be found"),
              testing::StartsWith("lxml needs a symbol"));
  EXPECT_EQ(codeOf("ImportError: dlopen(/v/m.so, 0x0002): Library not loaded: @rpath/Python\n"
                   "  Referenced from: /v/m.so\n  Reason: tried: '/v/Python' (no such file)"),
            "missing-dependency");
  EXPECT_EQ(actionOf("  File \"C:\\v\\site-packages\\onnx\\__init__.py\", line 8, in <module>\n"
                     "ImportError: DLL load failed while importing onnx_cpp2py_export:"),
            "tcfix doctor --package onnx");
}

TEST(Shapes, TheNextReleaseOfAnIndex) {
  auto actionFor = [](llvm::StringRef name, llvm::StringRef versions) {
    return actionOf(("ERROR: Could not find a version that satisfies the requirement " + name +
                     " (from versions: " + versions + ")\n")
                        .str());
  };
  EXPECT_EQ(actionFor("mine==1.18.0", "1.9.0, 1.16.3, 1.18.1, 1.20.0"), "pip install mine==1.18.1");
  EXPECT_EQ(actionFor("mine==1.30", "1.9.0, 1.16.3"), "pip install mine==1.16.3");
  for (llvm::StringRef none : {"none", "1.0rc1", ""})
    EXPECT_THAT(actionFor("mine==1.18.0", none), Not(HasSubstr("install"))) << none.str();
  EXPECT_THAT(actionFor("mine>=1.18.0", "1.9.0"), Not(HasSubstr("install")));
  EXPECT_THAT(actionFor("torch==2.0.0", "2.1.0, 2.2.0"), Not(HasSubstr("install torch==2.1.0")));
}

TEST(Shapes, AttemptsThatEndWell) {
  EXPECT_TRUE(
      explainTraceback("-- Looking for x - not found\n-- Configuring done\n", "text").isOk());
  EXPECT_FALSE(explainTraceback("-- Looking for x - not found\n", "text").isOk());
  EXPECT_FALSE(
      explainTraceback("-- Configuring done\n-- Looking for x - not found\n", "text").isOk());
}

TEST(Shapes, CondasPriorityOfChannels) {
  EXPECT_EQ(actionOf("LibMambaUnsatisfiableError: Encountered problems while solving:\n"
                     "  - package ffmpeg-7.0.2 is excluded by strict repo priority\n"),
            "conda config --set channel_priority flexible");
  EXPECT_THAT(messageOf("UnsatisfiableError: The following specifications were found to be in "
                        "conflict:\n  - pandas=0.18.1\n  - pyfftw=0.9.2\n"),
              HasSubstr("pandas=0.18.1; pyfftw=0.9.2"));
}

TEST(Shapes, CollectEnvNamesThePlatform) {
  const Diagnosis diagnosis = explainTraceback(
      "Python platform: macOS-26.0.1-arm64-arm-64bit\nOS: macOS 26.0.1 (arm64)\n"
      "Python version: 3.14.0\n[pip3] torch==2.9.0\n[pip3] torchcodec==0.0.0.dev0\n"
      "ModuleNotFoundError: No module named 'torchcodec.decoders'",
      "text");
  EXPECT_EQ(firstCode(diagnosis), "placeholder-release");
  EXPECT_THAT(diagnosis.action, HasSubstr("torchcodec==0.9.*"));
}

TEST(Shapes, APartOfAnFfmpegIsFound) {
  constexpr llvm::StringLiteral kList =
      "RuntimeError: Could not load libtorchcodec.\n[start of libtorchcodec loading traceback]\n"
      "FFmpeg version 8:\nOSError: libavutil.so.60: cannot open shared object file: No such file\n"
      "...\nFFmpeg version 4:\nOSError: ";
  const std::string part =
      (kList + "libavdevice.so.58: cannot open shared object file: No such file\n").str();
  EXPECT_EQ(codeOf(part), "ffmpeg-missing");
  EXPECT_THAT(messageOf(part), HasSubstr("only a part of FFmpeg 4: libavdevice.so.58"));
  EXPECT_EQ(actionOf(part), "pip install \"av<19\" && tcfix apply");
  // The usual last attempt proves nothing.
  EXPECT_EQ(
      codeOf((kList + "libavutil.so.56: cannot open shared object file: No such file\n").str()),
      "cause-not-told");
}

TEST(Shapes, ALibraryAfterTheCoreFindsNoFfmpeg) {
  const std::string text =
      "[start of libtorchcodec loading traceback]\n"
      "FFmpeg version 8: Could not load this library: .../libtorchcodec_core8.dylib\n"
      "FFmpeg version 7: dlopen(.../libtorchcodec_pybind_ops7.so, 0x0002):\n"
      "  Library not loaded: @rpath/libavutil.59.dylib\n"
      "  Referenced from: .../libtorchcodec_pybind_ops7.so\n  Reason: no LC_RPATH's found\n"
      "FFmpeg version 6: Could not load this library: .../libtorchcodec_core6.dylib\n...\n";
  EXPECT_EQ(codeOf(text), "ffmpeg-not-found");
  EXPECT_EQ(actionOf(text), "tcfix apply");
}

TEST(Shapes, ADependencyOfFfmpegFails) {
  const std::string text =
      "torchcodec==0.7.0\n[start of libtorchcodec loading traceback]\n"
      "FFmpeg version 7: libavutil.so.59: cannot open shared object file: No such file\n"
      "FFmpeg version 4: /lib/x86_64-linux-gnu/libgobject-2.0.so.0: undefined symbol: "
      "ffi_type_uint32, version LIBFFI_BASE_7.0\n[end of libtorchcodec loading traceback].\n";
  EXPECT_EQ(codeOf(text), "missing-symbols");
  EXPECT_EQ(actionOf(text), "pip install \"av<16\" && tcfix apply --ffmpeg av");
}

TEST(Shapes, AnOlderPartOfCudaIsFoundFirst) {
  EXPECT_THAT(actionOf("OSError: .../libtorchcodec_core6.so: undefined symbol:\n         "
                       "nppiNV12ToRGB_8u_ColorTwist32f_P2C3R_Ctx, version libnppicc.so.12\n"),
              testing::StartsWith("pip install nvidia-npp-cu12 && export LD_LIBRARY_PATH="));
}

TEST(Shapes, WithoutACommandForTorchNoOtherHelps) {
  // Its driver may be too old for a later CUDA.
  EXPECT_EQ(actionOf("torch==2.7.1+cu118\ntorchcodec==0.10.0\n"
                     "OSError: Could not load this library: C:\\v\\torchcodec\\"
                     "libtorchcodec_core8.dll\nFFmpeg version 8: Could not find module "
                     "'C:\\v\\torchcodec\\libtorchcodec_core8.dll'\n"),
            "tcfix doctor");
}

TEST(Shapes, PluginsOfTorchHaveTheirOwnVariable) {
  EXPECT_EQ(actionOf("torch 2.9.1\nRuntimeError: Failed to load the backend extension: torch_npu. "
                     "You can disable extension auto-loading with "
                     "TORCH_DEVICE_BACKEND_AUTOLOAD=0.\n"),
            "export TORCH_DEVICE_BACKEND_AUTOLOAD=0");
  EXPECT_EQ(actionOf("RuntimeError: Failed to load the backend extension: xpu. You can disable it "
                     "with TORCHCODEC_DEVICE_BACKEND_AUTOLOAD=0.\n"),
            "export TORCHCODEC_DEVICE_BACKEND_AUTOLOAD=0");
}

TEST(Shapes, APathOfTorchWhoseBeginningIsLeftOut) {
  const std::string text =
      "[WinError 127] The specified procedure could not be found. \n"
      "Error loading \"...\\torch\\lib\\shm.dll\" or one of its dependencies.\n";
  EXPECT_EQ(codeOf(text), "torch-broken");
  EXPECT_EQ(actionOf(text), "tcfix doctor --package torch");
}

TEST(Shapes, DirectoriesOfSeveralDistributions) {
  EXPECT_EQ(actionOf("  File \"/v/site-packages/pyannote/audio/core/inference.py\", line 33, in x\n"
                     "    from pyannote.core import Segment\n"
                     "ModuleNotFoundError: No module named 'pyannote.core'\n"),
            "pip install pyannote.core");
}

TEST(Shapes, AProgramThatContinuesWithoutThePackage) {
  const std::string warning =
      "WARNING: 'torchcodec' is not available, falling back to 'pyav' as a default decoder\n";
  EXPECT_EQ(explainTraceback(warning + "INFO training step:200 loss:0.4\n", "text").isOk(), true);
  EXPECT_EQ(codeOf(warning + "File \"/v/a.py\", line 4, in read\n    raise NotImplementedError\n"),
            "package-missing");
  EXPECT_EQ(codeOf("RuntimeError: torchcodec is not available. Cannot read audio file.\n"),
            "package-missing");
}

TEST(Shapes, AWarningBeforeAProgramIsReady) {
  const std::string warning = "[WARN] api import failed: No module named 'api'\n";
  EXPECT_TRUE(explainTraceback(warning + "INFO:     Application startup complete.\n", "t").isOk());
  EXPECT_FALSE(explainTraceback(warning, "t").isOk());
}

TEST(Shapes, ExtensionsThatWereBuiltForAnotherTorch) {
  constexpr llvm::StringLiteral kSymbol =
      ": undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs\n";
  EXPECT_EQ(actionOf(("torch==2.8.0+cu128\nImportError: /v/site-packages/"
                      "flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so" +
                      kSymbol)
                         .str()),
            "pip install --force-reinstall --no-deps flash-attn --no-build-isolation "
            "--no-cache-dir");
  EXPECT_EQ(actionOf(("torch==2.8.0+cu128\nOSError: /v/site-packages/torch_scatter/"
                      "_scatter_cuda.so" +
                      kSymbol)
                         .str()),
            "pip install --force-reinstall --no-deps torch-scatter -f "
            "https://data.pyg.org/whl/torch-2.8.0+cu128.html");
  // A vendor's torch has its own builds.
  EXPECT_THAT(actionOf(("torch==2.8.0a0+34c6371d24.nv25.08\nImportError: /v/site-packages/"
                        "flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so" +
                        kSymbol)
                           .str()),
              Not(HasSubstr("pip")));
}

TEST(Shapes, TheChannelOfThePackageIsTorchs) {
  constexpr llvm::StringLiteral kMissing =
      "OSError: libnppicc.so.12: cannot open shared object file: No such file or directory\n"
      "OSError: Could not load this library: /v/torchcodec/libtorchcodec_core8.so\n";
  EXPECT_EQ(actionOf(("torchcodec==0.10.0+cu128\n" + kMissing).str()),
            "pip install nvidia-npp-cu12 && tcfix apply");
  // Without a channel, the release for the same torch.
  EXPECT_EQ(actionOf(("torchcodec==0.10.0\n" + kMissing).str()),
            "pip install --force-reinstall --no-deps \"torchcodec==0.10.*\" && tcfix apply");
}

TEST(Shapes, SystemsThatOnlyWordsShow) {
  EXPECT_THAT(actionOf("torch 2.10.0, torchcodec 0.14.0\nmacOS 15.6 (arm64), Python 3.11.12\n"),
              HasSubstr("torchcodec==0.10.*"));
}

TEST(Shapes, APlaceholderInAConflict) {
  EXPECT_EQ(codeOf("pyannote-audio 4.0.5 requires torchcodec>=0.7.0, but you have torchcodec "
                   "0.0.0.dev0 which is incompatible.\n"),
            "placeholder-release");
}

} // namespace
} // namespace tcfix::traceback
