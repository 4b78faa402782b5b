// Versions stated in a text, and those that its traceback shows.
#include "traceback/versions.h"

#include <gtest/gtest.h>

namespace tcfix::traceback {
namespace {

struct Named {
  const char* text;
  const char* torch;
  const char* release;
};

class NamedVersions : public testing::TestWithParam<Named> {};

TEST_P(NamedVersions, AreRead) {
  const Versions versions = readVersions(GetParam().text);
  EXPECT_EQ(versions.torch, GetParam().torch) << GetParam().text;
  EXPECT_EQ(versions.release, GetParam().release) << GetParam().text;
}

constexpr Named kNamed[] = {
    {"torch==2.8.0\ntorchcodec==0.7.0\n", "2.8.0", "0.7.0"},
    {"Package    Version\n---------- -------\ntorch      2.9.1+cu128\ntorchcodec 0.9.1\n",
     "2.9.1+cu128", "0.9.1"},
    {"Name: torch\nVersion: 2.9.0+cpu\nSummary: x\nName: torchcodec\nVersion: 0.7.0\n", "2.9.0+cpu",
     "0.7.0"},
    {"Successfully installed numpy-2.1 torch-2.9.0 torchcodec-0.7.0", "2.9.0", "0.7.0"},
    {" + torch==2.9.0\n + torchcodec==0.8.1\n", "2.9.0", "0.8.1"},
    {"# packages in environment\ntorchcodec   0.9.1   pypi_0  pypi\n", "", "0.9.1"},
    {"PyTorch version: 2.8.0+cu128\nIs debug build: False", "2.8.0+cu128", ""},
    {"[pip3] torch==2.8.0\n[pip3] torchcodec==0.7.0", "2.8.0", "0.7.0"},
    {"In [2]: torch.__version__\nOut[2]: '2.8.0+cu128'", "2.8.0+cu128", ""},
    {"Requirement already satisfied: torch>=2.2 in /x/site-packages (2.2.2)", "2.2.2", ""},
    {"Torch: 2.10.0+cu130 TorchCodec: 0.15.0", "2.10.0+cu130", "0.15.0"},
    // What the package prints about torch takes precedence over a list, and a log over prose.
    {"torch==2.8.0\n2. The PyTorch version (2.9.1) is not compatible", "2.9.1", ""},
    {"I tried torchcodec 0.6, then\nSuccessfully installed torchcodec-0.7.0", "", "0.7.0"},
    {"Successfully installed torch-2.7.0\nSuccessfully installed torch-2.8.0", "2.8.0", ""},
    {"Found existing installation: torch 2.11.0\nUninstalling torch-2.11.0:\n  Successfully "
     "uninstalled torch-2.11.0\nSuccessfully installed torch-2.8.0",
     "2.8.0", ""},
    {"Found existing installation: torch 2.11.0\n", "", ""},
    // Requirements, and other packages.
    {"requires torch>=2.0, torchcodec~=0.3", "", ""},
    {"torchvision==0.24.0\nmy-torch==1.0\ntorchcodec-xpu==0.1.0", "", ""},
};
INSTANTIATE_TEST_SUITE_P(All, NamedVersions, testing::ValuesIn(kNamed));

struct Fingerprint {
  const char* text;
  const char* torch;
  const char* releases;
};

class FingerprintVersions : public testing::TestWithParam<Fingerprint> {};

TEST_P(FingerprintVersions, AreRecognized) {
  const Versions versions = readVersions(GetParam().text);
  EXPECT_EQ(versions.torchText(), GetParam().torch) << GetParam().text;
  EXPECT_EQ(versions.releases.isKnown() ? versions.releases.text() : "", GetParam().releases)
      << GetParam().text;
}

constexpr Fingerprint kFingerprints[] = {
    {R"(File "/x/torch/_ops.py", line 1442, in load_library)", "2.10", ""},
    {R"(File "C:\x\torch\_ops.py", line 1503, in load_library)", "2.11", ""},
    {R"(line="  File \"/x/torch/_ops.py\", line 1503, in load_library" caller=x)", "2.11", ""},
    {"File /x/torch/_ops.py:1478, in _Ops.load_library(self, path)", "2.8", ""},
    {"/x/torch/_ops.py in load_library(self, path)\n   1293 \n-> 1295     ctypes.CDLL(path)", "2.4",
     ""},
    {R"(File "/x/torch/_ops.py", line 829, in __call__)", "2.8", ""},
    {R"(File "/x/torch/_ops.py", line 1350, in __call__)", "", ""}, // 1350 loads in 2.5 only
    {R"(File "/x/mytorch/other_ops.py", line 1442, in load_library)", "", ""},
    {R"(File "/x/torchcodec/_internally_replaced_utils.py", line 93, in load_torchcodec_shared_libraries)",
     "", "0.11 to 0.15"},
    {"File \"/x/torchcodec/\n  _internally_replaced_utils.py\", line 93, in "
     "load_torchcodec_shared_libraries",
     "", "0.11 to 0.15"},
    {R"(File "/x/torchcodec/_internally_replaced_utils.py", line 132, in load_core_libraries)", "",
     "0.16 to 0.17"},
    {R"(File "/x/torchcodec/_core/ops.py", line 57, in load_torchcodec_shared_libraries)", "",
     "0.10"},
    {"We support\n   versions 4, 5, 6 and 7.\n", "", "0.0 to 0.8"},
    {"We support versions 4, 5, 6 and 7. FFmpeg version 8: x", "", "0.8"},
    {"> versions 4, 5, 6, 7,\n> and 8. On Windows", "", "0.9"},
    {"versions 4, 5, 6, 7, and 8, and we attempt to", "", "0.10 to 0.15"},
    {"versions 4, 5, 6, 7, 8, and 9, and we attempt", "", "0.16 to 0.17"},
    // A later attempt starts over; a list of another environment does not count.
    {"versions 4, 5, 6 and 7. ... versions 4, 5, 6, 7, 8, and 9", "", "0.16 to 0.17"},
    {"torchcodec==0.7.0\nversions 4, 5, 6, 7, 8, and 9", "", "0.16 to 0.17"},
    {"torchcodec==0.18.0\nversions 4, 5, 6, 7, 8, and 9", "", "0.18"},
    {"nothing", "", ""},
};
INSTANTIATE_TEST_SUITE_P(All, FingerprintVersions, testing::ValuesIn(kFingerprints));

TEST(Versions, AnFfmpegInTheText) {
  auto major = [](const char* text) { return readVersions(text).ffmpegProgram; };
  EXPECT_EQ(major("ffmpeg version 7.1 Copyright"), 7);
  EXPECT_EQ(major("ffmpeg version n6.1-3 Copyright"), 6);
  EXPECT_EQ(major("ii  ffmpeg  7:4.4.2-0ubuntu0.22.04.1  amd64"), 4);
  EXPECT_EQ(major("ffmpeg    7.1.1   h1234_0   conda-forge"), 7);
  EXPECT_EQ(major("/opt/homebrew/Cellar/ffmpeg/8.0_1/lib"), 8);
  EXPECT_EQ(major("FFmpeg version 7: could not"), 0);
  EXPECT_EQ(major("imageio-ffmpeg==0.6.0\nffmpeg-python==0.2.0\nffmpeg==1.4"), 0);
  EXPECT_TRUE(readVersions("ffmpeg version 7.1-essentials_build-x").isProgramStatic);
  EXPECT_FALSE(readVersions("ffmpeg version 7.1\nconfiguration: --enable-static --enable-shared")
                   .isProgramStatic);
}

TEST(Versions, TheMachine) {
  auto arch = [](const char* text) { return readVersions(text).arch; };
  EXPECT_EQ(arch("x.cpython-312-x86_64-linux-gnu.so"), "x86_64");
  EXPECT_EQ(arch("cpython-3.12-linux-aarch64-gnu/lib/x.so"), "aarch64");
  EXPECT_EQ(arch("platform_machine != \"aarch64\""), "");
  EXPECT_EQ(readVersions("C:\\Python313\\Lib\\site-packages\\x.dll").platform, Platform::Windows);
  EXPECT_EQ(readVersions("/v/lib/python3.12/x.so").python, "3.12");
}

} // namespace
} // namespace tcfix::traceback
