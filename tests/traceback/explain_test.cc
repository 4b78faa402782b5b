// Messages of loaders and of Python, and the resulting findings.
#include "traceback/explain.h"

#include <gmock/gmock.h>

namespace tcfix::traceback {
namespace {

using doctor::Diagnosis;
using doctor::Finding;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> codesOf(llvm::StringRef text) {
  std::vector<std::string> codes;
  const Diagnosis diagnosis = explainTraceback(text, "text");
  for (const Finding* finding : diagnosis.findings())
    codes.push_back(finding->code);
  return codes;
}

struct Sentence {
  const char* text;
  const char* code;
};

class Sentences : public testing::TestWithParam<Sentence> {};

TEST_P(Sentences, BecomeAFinding) {
  EXPECT_THAT(codesOf(GetParam().text), ElementsAre(GetParam().code));
}

constexpr Sentence kSentences[] = {
    {"OSError: libavutil.so.59: cannot open shared object file: No such file or directory",
     "ffmpeg-missing"},
    {"OSError: libnvrtc.so.13: cannot open shared object file: No such file",
     "cuda-variant-mismatch"},
    {"OSError: libnvcuvid.so.1: cannot open shared object file: No such file", "driver-missing"},
    {"OSError: libpython3.12.so.1.0: cannot open shared object file: No such file",
     "libpython-missing"},
    {"OSError: libother.so: cannot open shared object file: No such file", "missing-dependency"},
    {"OSError: /a/site-packages/torchcodec/x.so: undefined symbol: torch_from_blob",
     "missing-symbols"},
    {"ImportError: /lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /a/b.so)",
     "libstdcxx-too-old"},
    {"ImportError: /lib/libc.so.6: version `GLIBC_2.38' not found (required by /a/b.so)",
     "glibc-too-old"},
    {"ImportError: /lib/libx.so: version `X_2' not found (required by /a/b.so)", "library-too-old"},
    {"ImportError: /a/b.so: symbol gzopen64, version ZLIB_1.2.3 not defined in file libz.so.1 with "
     "link time reference",
     "missing-symbols"},
    {"OSError: /a/b.so: wrong ELF class: ELFCLASS32", "wrong-architecture"},
    {"OSError: /a/b.so: cannot enable executable stack as shared object requires",
     "executable-stack"},
    {"OSError: /a/b.so: failed to map segment from shared object", "not-mapped"},
    {"OSError: /a/b.so: cannot allocate memory in static TLS block", "static-tls-full"},
    {"OSError: /a/b.so: invalid ELF header", "unreadable"},
    {"OSError: /a/b.so: file too short", "unreadable"},
    {"OSError: dlopen(/a/b.dylib, 0x0006): tried: '/a/b.dylib' (mach-o file, but is an "
     "incompatible architecture (have 'x86_64', need 'arm64'))",
     "wrong-architecture"},
    {"OSError: dlopen(/a/b.dylib, 0x0006): tried: '/a/b.dylib' (code signature in <X> '/a/b.dylib' "
     "not valid for use in process: mapping process and mapped file (non-platform) have different "
     "Team IDs)",
     "hardened-python"},
    {"OSError: dlopen(/a/b.dylib, 0x0006): tried: '/a/b.dylib' (code signature invalid)",
     "signature-invalid"},
    {"OSError: dlopen(/a/b.dylib, 0x0006): tried: '/a/b.dylib' (library load disallowed by system "
     "policy)",
     "quarantined"},
    {"OSError: dlopen(/a/b.dylib, 0x0006): duplicate LC_RPATH '/opt/lib'", "duplicate-search-path"},
    {"OSError: dlopen(/a/b.dylib, 0x0006): tried: '/a/b.dylib' (built for newer macOS version "
     "(14.0) than OS (12.0))",
     "macos-too-old"},
    {"OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error "
     "loading \"C:\\x\\y.dll\" or one of its dependencies.",
     "initialization-failed"},
    {"OSError: [WinError 126] The specified module could not be found. Error loading "
     "\"C:\\p\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies.",
     "torch-broken"},
    {"FileNotFoundError: Could not find module 'C:\\x\\other.dll' (or one of its dependencies). "
     "Try "
     "using the full path with constructor syntax.",
     "missing-dependency"},
    {"FAIL : LoadLibrary failed with error 126 \"\" when trying to load \"C:\\x\\other.dll\"",
     "missing-dependency"},
    {"The code execution cannot proceed because avutil-59.dll was not found. Reinstalling the "
     "program "
     "may fix this problem.",
     "ffmpeg-missing"},
    {"The code execution cannot proceed because other.dll was not found.", "missing-dependency"},
    {"ModuleNotFoundError: No module named 'torch'", "torch-missing"},
    {"ModuleNotFoundError: No module named 'torchcodec'", "package-missing"},
    {"ImportError: torchcodec is not available. Please install torchcodec.", "package-missing"},
    {"ImportError: No spec found for libtorchcodec_core7", "package-damaged"},
    {"RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is "
     "0x2000000",
     "numpy-abi"},
    {"ImportError: Module use of python311.dll conflicts: module was compiled for Python 3.11, but "
     "the interpreter version is incompatible: 3.12.1.",
     "python-abi"},
    {"WARNING: xFormers was built for:\n    PyTorch 2.1.2+cu121 with CUDA 1201 (you have "
     "2.5.1+cu121)",
     "torch-version-mismatch"},
    {"qt.qpa.plugin: From 6.5.0, xcb-cursor0 or libxcb-cursor0 is needed to load the Qt xcb "
     "platform "
     "plugin.",
     "missing-dependency"},
    {"OSError: Could not load this library: /a/libtorchcodec_core7.so", "cause-not-told"},
    {"Could not load this library libtorchcodec_core4.dll", "cause-not-told"},
    {"OSError: libheif.so.1: cannot open shared object file: No such file", "heic-unavailable"},
    {"RuntimeError: Failed to load the backend extension: xpu. You can", "plugin-broken"},
    {"RuntimeError: Could not load libtorchcodec_xpu. Likely causes:", "plugin-broken"},
    {"RuntimeError: Failed to load the backend extension: torch_npu. You can disable it",
     "plugin-broken"},
    {"ImportError: DLL load failed while importing x: Zugriff verweigert", "not-mapped"},
    {"ImportError: DLL load failed while importing x: An Application Control policy has blocked "
     "this file.",
     "not-mapped"},
    {"nvrtc: error: failed to open libnvrtc-builtins.so.13.0.", "cuda-missing"},
    {"`-> Because torch==2.1.1 is unusable because no wheels are available with a matching "
     "platform",
     "package-missing"},
    {"import torchcodec\nSegmentation fault (core dumped)", "crashed"},
    {"NotImplementedError: Could not run 'torchcodec_ns::x' with arguments from the 'CPU' backend.",
     "torch-version-mismatch"},
    {"no fallback function is registered for schema torchcodec_ns::create_from_file.",
     "torch-version-mismatch"},
    {"RuntimeError: operator torchvision::nms does not exist", "torch-version-mismatch"},
    {"AttributeError: '_OpNamespace' 'torchcodec_ns' object has no attribute 'create_from_file'",
     "torch-version-mismatch"},
    {"ImportError: TorchCodec is required for load_with_torchcodec.", "package-missing"},
    {"torchcodec is not installed correctly so built-in audio decoding will fail.",
     "package-missing"},
    {"ERROR: No matching distribution found for torchcodec==0.7", "package-missing"},
    {"torchcodec has no wheels with a matching platform tag", "package-missing"},
    {"PackagesNotFoundError: The following packages are not available:\n\n  - torchcodec=0.7",
     "package-missing"},
    {"pip list\ntorchcodec 0.0.0.dev0\nImportError: x", "placeholder-release"},
    {"ImportError: dlopen(/a/b.so, 0x0002): symbol not found in flat namespace '_x'",
     "missing-symbols"},
    {"EXC_BAD_ACCESS (SIGKILL (Code Signature Invalid))\n0  libx.dylib", "signature-invalid"},
    {"ImportError: DLL load failed while importing x: Das angegebene Modul wurde nicht gefunden.",
     "missing-dependency"},
    {"ImportError: DLL load failed while importing x: quelque chose", "cause-not-told"},
    {"dlopen failed: \"/data/lib/etree.so\" is 64-bit instead of 32-bit", "wrong-architecture"},
    {"/a/b.so: Kann den Stack nicht ausführbar machen wie vom Shared Object verlangt: x",
     "executable-stack"},
    {"dlerror is /a/b.so: 无法启用共享目标需要的可执行栈: 无效的参数", "executable-stack"},
    {"prog: libx.so.1: Kann die Shared-Object-Datei nicht öffnen: x", "missing-dependency"},
    {"libx.so.1: 无法打开共享对象文件: x", "missing-dependency"},
    // Resolvers: uv, poetry, pdm, conda, pixi
    {"Because only the following versions of torchcodec{x != 'y'} are available:\n  torchcodec<1",
     "package-missing"},
    {"Because there is no version of torchcodec==0.30 and you require it", "package-missing"},
    {"Because torchcodec was not found in the package registry", "package-missing"},
    {"Because no versions of torchcodec match >0.30, version solving failed.", "package-missing"},
    {"CandidateNotFound: Unable to find candidates for torchcodec.", "package-missing"},
    {"└─ torchcodec =0.30 * does not exist (perhaps a typo or a missing channel).",
     "package-missing"},
    {"  - nothing provides requested torchcodec 0.30*", "package-missing"},
    {"No candidates were found for torchcodec >=0.30.", "package-missing"},
};
INSTANTIATE_TEST_SUITE_P(All, Sentences, testing::ValuesIn(kSentences));

TEST(Explain, TextsWithoutAFailureAreFine) {
  for (const char* text :
       {"", "all is well", "Please install numpy", "torch==2.9.1", "ffmpeg version 7.1 Copyright",
        "CUDA runtime: Could not collect", "exceptiongroup 1.2.0\ncrashtest 0.4.1",
        "errorhandler 2.0\nfail-fast 1.0", "12 passed, 0 failed", "@@ -1,2 +1,2 @@", "no errors",
        "warning: Failed to hardlink files; falling back to full copy.",
        "WARNING: Ignoring invalid distribution -orch", "/v/a.py:12: UserWarning: x will change"}) {
    Diagnosis diagnosis = explainTraceback(text, "text");
    EXPECT_TRUE(diagnosis.isOk()) << text;
    EXPECT_THAT(diagnosis.findings(), IsEmpty()) << text;
    EXPECT_EQ(diagnosis.action, "");
  }
}

constexpr llvm::StringLiteral kNoFfmpeg =
    "RuntimeError: Could not load libtorchcodec.\n"
    "[start of libtorchcodec loading traceback]\n"
    "FFmpeg version 8: libavutil.so.60: cannot open shared object file: No such file\n"
    "FFmpeg version 7: libavutil.so.59: cannot open shared object file: No such file\n"
    "FFmpeg version 6: libavutil.so.58: cannot open shared object file: No such file\n"
    "FFmpeg version 5: libavutil.so.57: cannot open shared object file: No such file\n"
    "FFmpeg version 4: libavutil.so.56: cannot open shared object file: No such file\n"
    "[end of libtorchcodec loading traceback]\n";

TEST(Explain, AnFfmpegThatTheTextShows) {
  EXPECT_THAT(codesOf(kNoFfmpeg), ElementsAre("ffmpeg-missing"));
  auto with = [](const char* banner) { return (kNoFfmpeg + banner).str(); };
  EXPECT_THAT(codesOf(with("ffmpeg version 7.1 Copyright\n")), ElementsAre("ffmpeg-not-found"));
  EXPECT_THAT(codesOf(with("ffmpeg version 3.4 Copyright\n")),
              ElementsAre("ffmpeg-unsupported-major"));
  EXPECT_THAT(codesOf(with("ffmpeg version 7.1 Copyright\nconfiguration: --enable-static\n")),
              ElementsAre("ffmpeg-static"));
}

TEST(Explain, TheGroupThatLoadedTheMostShowsTheCause) {
  Diagnosis diagnosis = explainTraceback(
      "[start of libtorchcodec loading traceback]\n"
      "FFmpeg version 8: libavutil.so.60: cannot open shared object file: No such file\n"
      "FFmpeg version 7: /a/libtorchcodec_core7.so: undefined symbol: torch_from_blob\n",
      "text");
  ASSERT_EQ(diagnosis.findings().size(), 1u);
  EXPECT_EQ(diagnosis.findings()[0]->code, "missing-symbols");
  EXPECT_THAT(diagnosis.decisive().summary, HasSubstr("the attempt with FFmpeg 7 shows the cause"));
  EXPECT_EQ(diagnosis.groups().size(), 2u);
}

TEST(Explain, VersionsInTheText) {
  EXPECT_THAT(codesOf((kNoFfmpeg + "torch==2.8.0\ntorchcodec==0.9.1\n").str()),
              ElementsAre("torch-version-mismatch", "ffmpeg-missing"));
  EXPECT_THAT(codesOf((kNoFfmpeg + "torch==2.9.1+rocm6.4\n").str()),
              ElementsAre("ffmpeg-missing", "vendor-torch"));
  EXPECT_THAT(codesOf((kNoFfmpeg + "torch==2.9.1\ntorchcodec==0.9.1\n").str()),
              ElementsAre("ffmpeg-missing"));
}

TEST(Explain, APackageWhoseLibraryFailsIsNotMissing) {
  EXPECT_THAT(codesOf((kNoFfmpeg + "No module named 'torchcodec'\n").str()),
              ElementsAre("ffmpeg-missing"));
}

TEST(Explain, MissingPartsProveNothing) {
  const std::string whole = kNoFfmpeg.str();
  const std::string tail = whole.substr(whole.find("FFmpeg version 5"));
  EXPECT_THAT(codesOf(tail), ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf(tail + "ffmpeg version 5.1 Copyright\n"), ElementsAre("ffmpeg-not-found"));
  EXPECT_THAT(codesOf(tail + "ffmpeg version 7.1 Copyright\n"), ElementsAre("cause-not-told"));
  const std::string head = whole.substr(0, whole.find("FFmpeg version 6"));
  EXPECT_THAT(codesOf(head), ElementsAre("cause-not-told"));
}

TEST(Explain, ATextThatEndsBeforeTheError) {
  const std::string frames = "File \"/v/site-packages/torchcodec/__init__.py\", line 10, in <modu";
  EXPECT_THAT(codesOf(frames), ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf("File &quot;/v/site-packages/torchcodec/__init__.py&quot;, line 10, in "
                      "&lt;module&gt; from . import decoders File"),
              ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf("UserWarning:\ntorchcodec is not install"), ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf("torchcodec is great"), IsEmpty());
  EXPECT_THAT(codesOf("ValueError: x\npip install torchcodec"), IsEmpty());
}

TEST(Explain, TorchaudiosSearchIsNotThePackages) {
  const std::string missing = "OSError: libavutil.so.58: cannot open shared object file: x\n";
  const std::string torio = "DEBUG - torio._extension.utils - Loading FFmpeg5\n";
  const std::string warning = "UserWarning:\ntorchcodec is not install";
  EXPECT_THAT(codesOf(missing + torio + warning), ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf(missing + torio + kNoFfmpeg.str()), ElementsAre("ffmpeg-missing"));
  EXPECT_THAT(codesOf(missing + warning), ElementsAre("ffmpeg-missing"));
}

TEST(Explain, AListIsCompleteWithoutMajorsThatHaveNoLibrary) {
  const std::string list = "RuntimeError: Could not load libtorchcodec. Likely causes:\n"
                           "[start of libtorchcodec loading traceback]\n"
                           "libavutil.so.59: cannot open shared object file: No such file\n"
                           "libavutil.so.58: cannot open shared object file: No such file\n"
                           "libavutil.so.57: cannot open shared object file: No such file\n";
  const std::string files = "$ find v\nv/torchcodec/libtorchcodec6.so\n"
                            "v/torchcodec/libtorchcodec7.so\nv/torchcodec/libtorchcodec5.so\n";
  EXPECT_THAT(codesOf(list), ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf(list + files), ElementsAre("ffmpeg-missing"));
  EXPECT_THAT(codesOf(list + files + "v/torchcodec/libtorchcodec4.so\n"),
              ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf(list + "No spec found for libtorchcodec4\n"), ElementsAre("ffmpeg-missing"));
  EXPECT_THAT(codesOf(list + "Could not load this library: v/libtorchcodec5.so\n"),
              ElementsAre("cause-not-told"));
}

TEST(Explain, ATruncatedName) {
  auto dyld = [](const std::string& user, const std::string& name) {
    return "OSError: dlopen(/v/" + user + ", 0x0006): Library not loaded: " + name;
  };
  const std::string core = "site-packages/torchcodec/libtorchcodec_core9.dylib";
  EXPECT_THAT(codesOf("ffmpeg version 9.0 x\n" + dyld(core, "@rpath/l")),
              ElementsAre("ffmpeg-not-found"));
  EXPECT_THAT(codesOf(dyld(core, "@rpath/l")), ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf("ffmpeg version 9.0 x\n" + dyld(core, "@rpath/libtor")),
              ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf(dyld("b.dylib", "@rpath/libx")), ElementsAre("cause-not-told"));
  EXPECT_THAT(codesOf(dyld("b.dylib", "@rpath/libx.dylib")), ElementsAre("missing-dependency"));
  EXPECT_THAT(codesOf(dyld("b.dylib", "/a/X.framework/X")), ElementsAre("missing-dependency"));
}

TEST(Explain, ACrashWhileTorchLoads) {
  EXPECT_THAT(codesOf("Windows fatal exception: access violation\n\n"
                      "Stack (most recent call first):\n"
                      "  File \"C:\\v\\site-packages\\torch\\__init__.py\", line 261 in load\n"
                      "  File \"C:\\a\\main.py\", line 2 in <module>\n"),
              ElementsAre("torch-broken"));
}

TEST(Explain, OwnBuildsAreNotReinstalled) {
  const std::string text =
      "[start of libtorchcodec loading traceback]\n"
      "FFmpeg version 5: No spec found for libtorchcodec_core5\n"
      "FFmpeg version 4: /v/site-packages/torchcodec/libtorchcodec_core4.so: file too short\n"
      "[end of libtorchcodec loading traceback]\ntorch==2.8.0\n";
  const Diagnosis diagnosis = explainTraceback(text, "text");
  ASSERT_THAT(diagnosis.findings(), testing::SizeIs(1));
  EXPECT_EQ(diagnosis.findings()[0]->code, "unreadable");
  EXPECT_EQ(diagnosis.findings()[0]->action, "");
}

TEST(Explain, PackagesOfADistributionAreNotReplaced) {
  auto action = [](const std::string& folder) {
    return explainTraceback(
               "OSError: " + folder +
                   "/torchcodec/libtorchcodec_core7.so: file too short\ntorch==2.9.1\n",
               "text")
        .findings()[0]
        ->action;
  };
  EXPECT_EQ(action("/usr/lib/python3/dist-packages"), "");
  EXPECT_THAT(action("/usr/local/lib/python3.12/dist-packages"), HasSubstr("torchcodec==0.9"));
}

TEST(Explain, ATorchOfNvidiaIsRecognizedByItsPaths) {
  const Diagnosis diagnosis = explainTraceback(
      "NotImplementedError: Could not run 'torchcodec_ns::x' with arguments from the 'CPU' "
      "backend.\n"
      "BackendSelect: registered at /opt/pytorch/pytorch/aten/src/ATen/core/x.cpp:3\n",
      "text");
  ASSERT_EQ(diagnosis.findings()[0]->code, "vendor-torch");
  EXPECT_THAT(diagnosis.action, HasSubstr("--replace-from"));
  for (const Finding* finding : diagnosis.findings())
    EXPECT_THAT(finding->action, testing::Not(HasSubstr("install")));
}

TEST(Explain, LibrariesForGlibcOnMusl) {
  const Diagnosis diagnosis = explainTraceback(
      "ImportError: Error loading shared library ld-linux-x86-64.so.2: No such file or directory "
      "(needed by /v/site-packages/my_ext/_C.so)",
      "text");
  EXPECT_THAT(diagnosis.findings()[0]->message, HasSubstr("built for glibc"));
}

TEST(Explain, TheLastAttemptCounts) {
  EXPECT_THAT(codesOf((kNoFfmpeg + "Successfully installed av\n"
                                   "[start of libtorchcodec loading traceback]\n"
                                   "FFmpeg version 8: /a/libtorchcodec_core8.so: file too short\n")
                          .str()),
              ElementsAre("unreadable"));
}

TEST(Explain, TheSubjectIsWhatTheTextIsAbout) {
  auto subject = [](llvm::StringRef text) {
    return explainTraceback(text, "text").decisive().package;
  };
  EXPECT_EQ(subject("  File \"/v/site-packages/cv2/__init__.py\", line 1\n"
                    "ImportError: libGL.so.1: cannot open shared object file"),
            "cv2");
  EXPECT_EQ(subject(">>> import my_ext\nImportError: libx.so.1: cannot open shared object file"),
            "my_ext");
  EXPECT_EQ(subject("ImportError: DLL load failed while importing my_ext: The specified module "
                    "could not be found."),
            "my_ext");
  EXPECT_EQ(subject("  File \"C:\\v\\site-packages\\h5py__init__.py\", line 30, in <module>\n"
                    "ImportError: DLL load failed: %1 is not a valid Win32 application."),
            "h5py");
  EXPECT_EQ(subject("ImportError: libx.so.1: cannot open shared object file"), "");
  EXPECT_EQ(subject(kNoFfmpeg), "torchcodec");
}

TEST(Explain, AnImportAloneProvesNothingFrom016On) {
  const std::string session = ">>> import torchcodec\n>>> torchcodec.__version__\n";
  const Diagnosis early = explainTraceback(session + "'0.15.0'\n", "text"),
                  late = explainTraceback(session + "'0.17.0'\n", "text"),
                  proven = explainTraceback(
                      session + "'0.17.0'\n>>> torchcodec.ffmpeg_major_version\n8\n", "text");
  EXPECT_TRUE(early.isOk() && late.isOk() && proven.isOk());
  EXPECT_EQ(early.action, "");
  EXPECT_THAT(late.action, HasSubstr("ffmpeg_major_version"));
  EXPECT_THAT(late.decisive().summary, HasSubstr("from torchcodec 0.16 on"));
  EXPECT_EQ(proven.action, "");
}

TEST(Explain, AFailureThatIsNotUnderstood) {
  for (const char* text :
       {"[WinError 2] no such file", "ValueError: no stream", "Aborted",
        "terminate called after throwing 'std::bad_alloc'", "import failed", "10 errors",
        "a.py:3: in load", "/v/a.py:3 in load", "File \"/v/a.py", "File ~/v/a.py:3",
        "&quot;/v/a.py&quot;, line 3", "{\"log\": \"File \\\"/v/a.py\\\", line 3\"}",
        "No solution when resolving", "torch 2.9 conflicts with torch 2.8",
        "Dependency resolution went too deep", "version solving failed",
        "Windows fatal exception: access violation\n\nStack (most recent call "
        "first):\n  File \"C:\\v\\site-packages\\torch\\cuda.py\", line 2 in f"}) {
    const Diagnosis diagnosis = explainTraceback(text, "text");
    EXPECT_FALSE(diagnosis.isUnderstood) << text;
    EXPECT_FALSE(diagnosis.isOk()) << text;
    EXPECT_THAT(diagnosis.findings(), IsEmpty()) << text;
  }
}

TEST(Explain, ErrorsAboutFilesAreNotFailuresToLoad) {
  const Diagnosis diagnosis = explainTraceback(
      "  File \"/v/site-packages/torchcodec/decoders/_video_decoder.py\", line 9, in __init__\n"
      "ValueError: No valid stream found in input file.\n",
      "text");
  EXPECT_FALSE(diagnosis.isUnderstood);
  EXPECT_THAT(codesOf("File \"/v/site-packages/torchcodec/__init__.py\", line 12, in <module>\n"
                      "    from . import deco\nTraceback"),
              ElementsAre("cause-not-told"));
}

TEST(Explain, WhatLddPrints) {
  const char* text = "OSError: Could not load this library: /v/libtorchcodec_core7.so\n"
                     "\tlibtorch.so => not found\n\tlibpython3.12.so.1.0 => not found\n";
  EXPECT_THAT(codesOf(text), ElementsAre("libpython-missing"));
}

TEST(Explain, TheWindowsDialogInAnyLanguage) {
  for (const char* text :
       {"procedure entry point ?f@Thing@c10@@QEAAXXZ could not be located in the dynamic link "
        "library C:\\v\\site-packages\\torchcodec\\libtorchcodec_core7.dll.",
        "无法定位程序输入点 ?f@Thing@c10@@QEAAXXZ 于动态链接库 "
        "C:\\v\\site-packages\\torchcodec\\libtorchcodec_core7.dll 上。",
        "x ?f@Thing@c10@@QEAAXXZ y C:\\v\\site-packages\\torchcodec\\libtorchcodec_core7.dll z"})
    EXPECT_THAT(codesOf(text), ElementsAre("missing-symbols")) << text;
  EXPECT_THAT(codesOf("@@ -1,2 +1,2 @@ a.dll"), IsEmpty());
}

TEST(Explain, WarningsAboutOptionalPackagesAreNotTheCause) {
  EXPECT_THAT(codesOf(("Failed to initialize NumPy: No module named 'numpy'\n"
                       "ModuleNotFoundError: No module named 'flash_attn'\n" +
                       kNoFfmpeg)
                          .str()),
              ElementsAre("ffmpeg-missing"));
  EXPECT_THAT(codesOf("UserWarning: No module named 'triton'"), IsEmpty());
  EXPECT_THAT(codesOf("OSError: Could not load this library: /a/libtorchcodec_core7.so\n"
                      "ModuleNotFoundError: No module named 'flash_attn'\n"),
              ElementsAre("cause-not-told"));
}

} // namespace
} // namespace tcfix::traceback
