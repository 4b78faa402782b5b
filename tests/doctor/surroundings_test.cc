// Python, macOS, search paths and the surroundings of a package.
#include "cases.h"

#include "doctor/python_tag.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace tcfix::doctor {
namespace {

using support::buildMachO;
using support::SignatureStyle;
using support::signedAs;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST(Python, TagsAreReadFromNames) {
  EXPECT_EQ(pythonTagOf("x.cpython-312-darwin.so"), "cp312");
  EXPECT_EQ(pythonTagOf("x.cp39-win_amd64.pyd"), "cp39");
  EXPECT_EQ(pythonTagOf("libx.so"), "");
  EXPECT_EQ(pythonTagFor("3.12"), "cp312");
}

TEST(Python, ALibraryForAnotherPython) {
  Case one;
  one.found.environment.pythons = {{"3.12", {}, {}}};
  const Bytes elf = bytesOf("");
  one.addLibrary("ext.cpython-311-x86_64-linux-gnu.so", elf);
  one.addLibrary("good.cpython-312-x86_64-linux-gnu.so", elf);
  EXPECT_THAT(one.codes(findPythonDefects), ElementsAre("python-abi"));
}

TEST(Python, AWheelForAnotherPython) {
  Case one;
  one.found.environment.pythons = {{"3.12", {}, {}}};
  const std::string wheel = "/env/site-packages/torchcodec-0.9.1.dist-info/WHEEL";
  one.world.add(wheel, bytesOf("Tag: cp311-cp311-linux_x86_64\n"));
  EXPECT_THAT(one.codes(findPythonDefects), ElementsAre("python-abi"));
  one.world.add(wheel, bytesOf("Tag: cp311-abi3-linux_x86_64\n"));
  EXPECT_THAT(one.codes(findPythonDefects), IsEmpty());
}

TEST(Python, AVenvWhosePythonWasReplaced) {
  Case one;
  one.found.environment.kind = env::EnvironmentKind::Venv;
  one.found.environment.root = one.world.at("/env");
  one.found.environment.pythons = {{"3.12", {}, {}}};
  one.world.add("/env/pyvenv.cfg", bytesOf("version = 3.13.1\n"));
  EXPECT_THAT(one.codes(findPythonDefects), ElementsAre("python-version-mismatch"));
  one.world.add("/env/pyvenv.cfg", bytesOf("version = 3.12.4\n"));
  EXPECT_THAT(one.codes(findPythonDefects), IsEmpty());
}

TEST(Python, ALibraryForAnotherArchitecture) {
  Case one(Platform::MacOs);
  one.addLibrary("core.dylib", buildMachO({.arch = support::kX86_64}));
  EXPECT_THAT(one.codes(findPythonDefects), ElementsAre("wrong-architecture"));
  Case same(Platform::MacOs);
  same.addLibrary("core.dylib", buildMachO({}));
  EXPECT_THAT(same.codes(findPythonDefects), IsEmpty());
}

TEST(Mac, Signatures) {
  Case unsignedOne(Platform::MacOs), broken(Platform::MacOs), good(Platform::MacOs),
      intel(Platform::MacOs);
  unsignedOne.addLibrary("core.dylib", buildMachO({}));
  EXPECT_THAT(unsignedOne.codes(findMacDefects), ElementsAre("signature-missing"));
  ByteVector bytes = buildMachO(signedAs(SignatureStyle::AdHoc));
  good.addLibrary("core.dylib", bytes);
  EXPECT_THAT(good.codes(findMacDefects), IsEmpty());
  bytes[0x2000] ^= 1;
  broken.addLibrary("core.dylib", bytes);
  EXPECT_EQ(broken.run(findMacDefects)[0].code, "signature-invalid");
  EXPECT_EQ(broken.run(findMacDefects)[0].severity, Severity::Error);
  intel.addLibrary("core.dylib", buildMachO({.arch = support::kX86_64}));
  EXPECT_THAT(intel.codes(findMacDefects), IsEmpty());
}

TEST(Mac, AForeignSignatureIsInformation) {
  Case one(Platform::MacOs);
  one.addLibrary("core.dylib", buildMachO(signedAs(SignatureStyle::Cms)));
  EXPECT_THAT(one.codes(findMacDefects), ElementsAre("signature-foreign"));
}

TEST(Mac, ASystemThatIsTooOld) {
  Case one(Platform::MacOs); // libraries for 11.0
  one.addLibrary("core.dylib", buildMachO(signedAs(SignatureStyle::AdHoc)));
  one.facts.process.systemVersion = "10.15";
  EXPECT_THAT(one.codes(findMacDefects), ElementsAre("macos-too-old"));
  one.facts.process.systemVersion = "11.0";
  EXPECT_THAT(one.codes(findMacDefects), IsEmpty());
}

TEST(Mac, APythonThatLoadsOnlyItsOwnTeamsLibraries) {
  ByteVector program = buildMachO(signedAs(SignatureStyle::AdHoc));
  Case one(Platform::MacOs);
  one.facts.process.executable = one.world.add("/env/bin/python", program);
  EXPECT_THAT(one.codes(findHardenedPython), IsEmpty());
  // The flags of the code directory: ad-hoc, hardened runtime.
  const uint8_t codeDirectory[] = {0xFA, 0xDE, 0x0C, 0x02}, flags[] = {0, 1, 0, 2};
  auto found = std::search(program.begin(), program.end(), std::begin(codeDirectory),
                           std::end(codeDirectory));
  ASSERT_NE(found, program.end());
  llvm::copy(flags, found + 12);
  one.world.add("/env/bin/python", program);
  EXPECT_THAT(one.codes(findHardenedPython), ElementsAre("hardened-python"));
  one.facts.platform = Platform::Linux;
  EXPECT_THAT(one.codes(findHardenedPython), IsEmpty());
}

TEST(Mac, NothingOnOtherPlatforms) {
  Case one(Platform::Linux);
  one.addLibrary("core.so", bytesOf("text"));
  EXPECT_THAT(one.codes(findMacDefects), IsEmpty());
}

TEST(SearchPaths, EachDefectHasItsFinding) {
  for (const auto& [entry, code] :
       std::map<std::string, std::string>{{"", "search-path-empty"},
                                          {"lib", "search-path-relative"},
                                          {"/Users/runner/work", "search-path-build-machine"},
                                          {"/opt/gone", "search-path-dead"},
                                          {"$ORIGIN/../gone", "search-path-dead"}}) {
    Case one;
    one.addLibrary("core.so", bytesOf(""), {entry});
    EXPECT_THAT(one.codes(findPathDefects), ElementsAre(code)) << entry;
  }
}

TEST(SearchPaths, AWorldWritableDirectory) {
  Case one;
  one.world.add("/opt/open/x", bytesOf(""));
  one.addLibrary("core.so", bytesOf(""), {"/opt/open"});
  EXPECT_THAT(one.codes(findPathDefects), IsEmpty());
  EXPECT_FALSE(llvm::sys::fs::setPermissions(one.world.at("/opt/open"), llvm::sys::fs::all_all));
  EXPECT_THAT(one.codes(findPathDefects), ElementsAre("search-path-world-writable"));
}

TEST(SearchPaths, GoodEntriesAreNotReported) {
  Case one;
  one.addLibrary("core.so", bytesOf(""), {"$ORIGIN", "@executable_path/../lib", "%PATH%"});
  EXPECT_THAT(one.codes(findPathDefects), IsEmpty());
}

TEST(SearchPaths, LibrariesThatShareAnEntryAreOneFinding) {
  Case one;
  one.addLibrary("a.so", bytesOf(""), {"/opt/gone"});
  one.addLibrary("b.so", bytesOf(""), {"/opt/gone"});
  ASSERT_EQ(one.run(findPathDefects).size(), 1u);
  EXPECT_EQ(one.run(findPathDefects)[0].evidence[1].values().size(), 2u);
}

TEST(Surroundings, TwoPackagesOfOneName) {
  Case one;
  one.world.add("/user/torchcodec/__init__.py", bytesOf(""));
  one.found.environment.sites = {{one.facts.package.site, "3.12"}};
  EXPECT_THAT(one.codes(findSurroundings), IsEmpty());
  one.found.environment.sites.push_back({one.world.at("/user"), "3.12"});
  EXPECT_THAT(one.codes(findSurroundings), ElementsAre("shadowed"));
}

TEST(Surroundings, TwoFfmpegs) {
  Case one;
  one.groups = {{7, Verdict::Loads, Verdict::Loads, {}, one.world.at("/opt/lib")}};
  one.addFfmpeg(7, "/opt/lib", "", providers::FfmpegSource::Pyav);
  EXPECT_THAT(one.codes(findSurroundings), IsEmpty());
  one.addFfmpeg(7, "/env/av.libs", "", providers::FfmpegSource::Pyav);
  EXPECT_THAT(one.codes(findSurroundings), ElementsAre("two-ffmpegs"));
}

TEST(Surroundings, ARecordWithOtherHashes) {
  Case one;
  one.addLibrary("core.so", bytesOf("text"));
  one.facts.package.hasRecord = true;
  const std::string record = "/env/site-packages/torchcodec-0.9.1.dist-info/RECORD";
  one.world.add(record, bytesOf("torchcodec/core.so,sha256=AAAA,4\n"));
  EXPECT_THAT(one.codes(findSurroundings), ElementsAre("record-mismatch"));
  EXPECT_EQ(one.run(findSurroundings)[0].action,
            "pip install --force-reinstall --no-deps torchcodec==0.9.1 && tcfix apply env");
  EXPECT_EQ(one.run(findSurroundings)[0].severity, Severity::Warning);
  one.loads = true; // it was repaired by hand
  EXPECT_EQ(one.run(findSurroundings)[0].action, "");
  EXPECT_EQ(one.run(findSurroundings)[0].severity, Severity::Info);
  one.world.add(record, bytesOf("torchcodec/core.so,"
                                "sha256=mC2ePrmW9VnmM_TRlN7zdh2Qn1o7ZH0ahR_q1nwyydE,4\n"));
  EXPECT_THAT(one.codes(findSurroundings), Not(Contains("record-mismatch")));
}

} // namespace
} // namespace tcfix::doctor
