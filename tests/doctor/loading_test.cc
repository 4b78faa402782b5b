// Findings about loaders, FFmpeg and torch, each only where it belongs.
#include "cases.h"

#include <gmock/gmock.h>

namespace tcfix::doctor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Code = LoadProblem::Code;

std::vector<std::string> codeOfMissing(const std::string& dependency, bool hasTorch = true) {
  Case one;
  if (!hasTorch)
    one.facts.torch.reset();
  one.addFailure(Code::MissingDependency, dependency);
  return one.codes(findLoadDefects);
}

TEST(Loading, TheKindOfAMissingDependency) {
  EXPECT_THAT(codeOfMissing("libother.so"), ElementsAre("missing-dependency"));
  EXPECT_THAT(codeOfMissing("libpython3.12.so.1.0"), ElementsAre("libpython-missing"));
  EXPECT_THAT(codeOfMissing("libnvrtc.so.13"), ElementsAre("cuda-missing"));
  EXPECT_THAT(codeOfMissing("libc10.so"), ElementsAre("missing-dependency"));
}

TEST(Loading, OtherRulesReportFfmpegAndAMissingTorch) {
  EXPECT_THAT(codeOfMissing("libavcodec.so.61"), IsEmpty());
  EXPECT_THAT(codeOfMissing("libc10.so", /*hasTorch=*/false), IsEmpty());
}

TEST(Loading, MissingDependenciesAreNotReportedIfAnotherMajorLoads) {
  Case one;
  one.addFailure(Code::MissingDependency, "libother.so");
  one.loads = true;
  EXPECT_THAT(one.codes(findLoadDefects), IsEmpty());
}

TEST(Loading, AMissingDependencyHasTheCommandThatHelps) {
  Case one;
  one.addFailure(Code::MissingDependency, "libnppicc.so.12");
  one.facts.torchNames = {"libc10_cuda.so"};
  EXPECT_EQ(one.run(findLoadDefects)[0].action, "pip install nvidia-npp-cu12 && tcfix apply env");
  one.facts.torchNames = {"libc10.so"};
  EXPECT_EQ(one.run(findLoadDefects)[0].action, ""); // torch has no CUDA at all
  one.wouldLoadAfter = true;
  EXPECT_EQ(one.run(findLoadDefects)[0].action, "tcfix apply env");
}

TEST(Loading, AnotherCudaThanTorchsComesBeforeWhatElseIsMissing) {
  Case one;
  one.facts.torch->version = "2.12.0+cpu";
  one.addLibrary("core.so", {});
  one.facts.libraries.back().original.dependencies = {{"libcudart.so.13"}};
  one.addFailure(Code::MissingDependency, "libother.so");
  one.addFailure(Code::MissingDependency, "libcudart.so.13", "", {}, 6);
  auto rules = [](const ExaminedPackage& package, Defects& defects) {
    findLoadDefects(package, defects);
    findCudaDefects(package, defects);
  };
  EXPECT_THAT(one.codes(rules), ElementsAre("cuda-variant-mismatch", "missing-dependency"));
}

TEST(Loading, SymbolsOfTorchAreDistinguishedFromOthers) {
  Case torchs, others;
  torchs.addFailure(Code::MissingSymbols, "", "", {"torch_from_blob"});
  Finding finding = torchs.run(findLoadDefects).front();
  EXPECT_EQ(finding.code, "missing-symbols");
  EXPECT_THAT(finding.message, HasSubstr("(in torch since 2.11)"));
  EXPECT_EQ(finding.action, "pip install --force-reinstall --no-deps \"torchcodec==0.9.*\" && "
                            "tcfix apply env");
  others.addFailure(Code::MissingSymbols, "", "/lib/libown.so", {"gone"});
  finding = others.run(findLoadDefects).front();
  EXPECT_EQ(finding.code, "missing-symbols");
  EXPECT_EQ(finding.action, "pip install --force-reinstall --no-deps torchcodec==0.9.1 && "
                            "tcfix apply env");
}

TEST(Loading, MissingSymbolsAreAWarningIfItLoads) {
  Case one;
  one.addFailure(Code::MissingSymbols, "", "", {"torch_from_blob"});
  EXPECT_EQ(one.run(findLoadDefects)[0].severity, Severity::Error);
  one.loads = true;
  EXPECT_EQ(one.run(findLoadDefects)[0].severity, Severity::Warning);
}

TEST(Loading, AnotherKindOfStringNeedsATorchThatHasIt) {
  Case one;
  one.addFailure(Code::MissingSymbols, "", "",
                 {"_ZN3c105ErrorC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"});
  EXPECT_THAT(one.codes(findLoadDefects), ElementsAre("missing-symbols"));
}

TEST(Loading, VersionsOfSymbolsAreNamedByTheirLibrary) {
  for (const auto& [version, code] :
       std::map<std::string, std::string>{{"GLIBCXX_3.4.32", "libstdcxx-too-old"},
                                          {"CXXABI_1.3.15", "libstdcxx-too-old"},
                                          {"GLIBC_2.38", "glibc-too-old"},
                                          {"OWN_2", "library-too-old"}}) {
    Case one;
    one.addFailure(Code::MissingVersion, "", "/lib/x.so", {version});
    EXPECT_THAT(one.codes(findLoadDefects), ElementsAre(code));
  }
}

TEST(Loading, FilesThatCannotBeUsed) {
  Case arch, own, twice, unreadable, refused;
  arch.addFailure(Code::WrongArchitecture, "libavcodec.so.61");
  EXPECT_EQ(arch.run(findLoadDefects)[0].code, "wrong-architecture");
  EXPECT_EQ(arch.run(findLoadDefects)[0].action, "pip install \"av<16\" && tcfix apply env");
  own.addFailure(Code::WrongArchitecture, "",
                 own.world.at("/env/site-packages/torchcodec/core.so"));
  EXPECT_THAT(own.codes(findLoadDefects), IsEmpty()); // the rule about Python
  twice.addFailure(Code::DuplicateEntry, "/opt/lib");
  EXPECT_THAT(twice.codes(findLoadDefects), ElementsAre("duplicate-search-path"));
  EXPECT_THAT(twice.run(findLoadDefects)[0].action, StartsWith("tcfix edit --add-rpath /opt/lib "))
      << "it is not a library of the package, so apply would not change it";
  twice.addLibrary("core.so", bytesOf(""));
  EXPECT_EQ(twice.run(findLoadDefects)[0].action, "tcfix apply env");
  unreadable.addFailure(Code::Unreadable, "libx.so", "/lib/libx.so");
  EXPECT_EQ(unreadable.run(findLoadDefects)[0].code, "unreadable");
  EXPECT_EQ(unreadable.run(findLoadDefects)[0].path, "/lib/libx.so");
  refused.addFailure(Code::Refused, "");
  EXPECT_THAT(refused.codes(findLoadDefects), IsEmpty()); // the rule about macOS
}

TEST(Ffmpeg, TheFindingDependsOnWhatIsInstalled) {
  Case none, elsewhere, unfit, old, archive;
  for (Case* one : {&none, &elsewhere, &unfit, &old, &archive})
    one->addFailure(Code::MissingDependency, "libavcodec.so.61");
  EXPECT_THAT(none.codes(findFfmpegDefects), ElementsAre("ffmpeg-missing"));
  elsewhere.addFfmpeg(7, "/opt/lib");
  elsewhere.wouldLoadAfter = true;
  EXPECT_EQ(elsewhere.run(findFfmpegDefects)[0].code, "ffmpeg-not-found");
  EXPECT_EQ(elsewhere.run(findFfmpegDefects)[0].action, "tcfix apply env");
  unfit.addFfmpeg(7, "/opt/lib");
  EXPECT_EQ(unfit.run(findFfmpegDefects)[0].code, "ffmpeg-not-found");
  EXPECT_EQ(unfit.run(findFfmpegDefects)[0].action, "");
  old.addFfmpeg(5, "/opt/lib");
  EXPECT_EQ(old.run(findFfmpegDefects)[0].message,
            "this torchcodec supports FFmpeg 7; installed: 5");
  EXPECT_EQ(old.run(findFfmpegDefects)[0].code, "ffmpeg-unsupported-major");
  archive.addFfmpeg(0, "/opt/lib", "only static libraries");
  EXPECT_THAT(archive.codes(findFfmpegDefects), ElementsAre("ffmpeg-static"));
}

TEST(Ffmpeg, NothingIsReportedIfItIsNotTheCause) {
  Case loading, other, unwanted;
  loading.addFailure(Code::MissingDependency, "libavcodec.so.61");
  loading.loads = true;
  EXPECT_THAT(loading.codes(findFfmpegDefects), IsEmpty());
  other.addFailure(Code::MissingDependency, "libother.so");
  EXPECT_THAT(other.codes(findFfmpegDefects), IsEmpty());
  unwanted.addFailure(Code::MissingDependency, "libavcodec.so.61");
  unwanted.required = {6};
  EXPECT_THAT(unwanted.codes(findFfmpegDefects), IsEmpty());
}

TEST(Torch, MissingOnlyIfItIsNeeded) {
  Case needed, other(Platform::Linux, "numpy");
  needed.facts.torch.reset();
  EXPECT_THAT(needed.codes(findTorchDefects), ElementsAre("torch-missing"));
  other.facts.torch.reset();
  EXPECT_THAT(other.codes(findTorchDefects), IsEmpty());
}

TEST(Torch, BrokenByItself) {
  Case one;
  test::ElfSpec spec;
  spec.needed = {"libgone.so"};
  spec.versions = {};
  one.world.add("/env/torch/lib/libtorch_python.so", test::buildElf(spec).bytes);
  one.facts.torchNames = {"libtorch_python.so"};
  EXPECT_THAT(one.codes(findTorchDefects), ElementsAre("torch-broken"));
  one.loads = true;
  EXPECT_THAT(one.codes(findTorchDefects), IsEmpty());
}

TEST(Torch, AReleaseIsBuiltForOneTorch) {
  Case one;
  EXPECT_THAT(one.codes(findTorchDefects), IsEmpty());
  one.facts.torch->version = "2.8.0";
  Finding finding = one.run(findTorchDefects).front();
  EXPECT_EQ(finding.code, "torch-version-mismatch");
  EXPECT_EQ(finding.action, "pip install \"torchcodec==0.7.*\" && tcfix apply env");
  EXPECT_EQ(finding.severity, Severity::Error);
  one.loads = true;
  EXPECT_EQ(one.run(findTorchDefects)[0].severity, Severity::Warning);
}

TEST(Torch, VendorsAreRecognizedByTheirVersions) {
  for (const char* version : {"2.9.1+rocm6.4", "2.9.1+xpu", "2.9.0a0+nv25.8", "2.9.1+git1234"}) {
    Case one;
    one.facts.torch->version = version;
    EXPECT_THAT(one.codes(findTorchDefects), ElementsAre("vendor-torch")) << version;
  }
  EXPECT_FALSE(vendorOfTorch("2.9.1+cu128"));
}

} // namespace
} // namespace tcfix::doctor
