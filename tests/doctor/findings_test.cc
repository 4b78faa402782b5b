// The table of findings, for kinds that cannot be shown on a package built in code, and verdicts.
#include "cases.h"
#include "doctor/group_reports.h"

#include <gmock/gmock.h>

namespace tcfix::doctor {
namespace {

using testing::HasSubstr;
using Kind = Defect::Kind;

FindingContext context() {
  FindingContext made;
  made.machine = {Platform::MacOs, "arm64", "3.12"};
  made.package = "torchcodec";
  made.release = "0.9.1";
  made.torch = recipe::torchBuildOf("2.9.1");
  made.applyCommand = "tcfix apply env";
  return made;
}

TEST(Findings, FindingsOfATextAreErrors) {
  Defect defect{Kind::Quarantined, "/a/core.dylib"};
  Finding finding = wordFinding(defect, context());
  EXPECT_EQ(finding.code, "quarantined");
  EXPECT_EQ(finding.severity, Severity::Warning);
  EXPECT_THAT(finding.message, HasSubstr("may refuse it"));
  EXPECT_EQ(finding.action, "xattr -d com.apple.quarantine /a/core.dylib");
  defect.quote = "library load disallowed by system policy";
  finding = wordFinding(defect, context());
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_EQ(finding.evidence[0].name, "text");
}

TEST(Findings, ADefectThatIsNotTheCauseIsAWarning) {
  Defect defect{Kind::Unreadable, "/a/core.dylib"};
  defect.sentence = "core.dylib: is empty";
  EXPECT_EQ(wordFinding(defect, context()).severity, Severity::Error);
  defect.isCause = false;
  EXPECT_EQ(wordFinding(defect, context()).severity, Severity::Warning);
  EXPECT_EQ(wordFinding(defect, context()).message, "core.dylib: is empty");
}

TEST(Findings, WithoutAnInstallerNothingIsReinstalled) {
  Defect defect{Kind::PackageDamaged, "/a/RECORD"};
  defect.sentence = "RECORD: is malformed";
  FindingContext made = context();
  EXPECT_EQ(wordFinding(defect, made).action,
            "pip install --force-reinstall --no-deps torchcodec==0.9.1 && tcfix apply env");
  EXPECT_EQ(wordFinding(defect, made).severity, Severity::Warning);
  made.canReplace = false;
  EXPECT_EQ(wordFinding(defect, made).action, "");
}

TEST(Findings, APackageWithoutMajorsMentionsNone) {
  FindingContext made = context();
  made.package = "other";
  made.machine.platform = Platform::Linux;
  Finding finding = wordFinding({Kind::FfmpegMissing, "/a/core.so", "libavcodec.so.61"}, made);
  EXPECT_EQ(finding.message, "no FFmpeg found that the libraries can use");
  EXPECT_EQ(finding.action, "pip install \"av<16\" && tcfix apply env");
}

TEST(Findings, CudaOfAnUnknownTorch) {
  FindingContext made = context(); // a text without torch's build
  made.torch = {};
  made.release = "0.17.0";
  Defect defect{Kind::CudaVariantMismatch, "/a/core.so", "libnvrtc.so.13"};
  EXPECT_EQ(wordFinding(defect, made).message,
            "this torchcodec is built for CUDA 13, but this torch most likely is not");
  made.machine = {Platform::Linux, "x86_64", "3.12"};
  EXPECT_EQ(wordFinding(defect, made).action,
            "pip install \"torchcodec==0.13.*\" && tcfix apply env");
  made.canReplace = false;
  EXPECT_THAT(wordFinding(defect, made).message, HasSubstr("; build it against this torch"));
  EXPECT_EQ(wordFinding(defect, made).action, "");
}

TEST(Findings, AnotherKindOfString) {
  Defect defect{Kind::Cxx11Abi, "/a/core.so"};
  defect.items = {"_Z1fSs"};
  defect.alternatives = {"f(std::string)"};
  Finding finding = wordFinding(defect, context());
  EXPECT_EQ(finding.code, "cxx11-abi");
  EXPECT_THAT(finding.message, HasSubstr("torch 2.9.1 and core.so were built with different"));
  EXPECT_EQ(finding.action,
            "pip install \"torch>=2.11\" \"torchcodec==0.17.*\" && tcfix apply env");
}

TEST(Findings, APythonThatLoadsOnlyItsOwnTeamsLibraries) {
  Finding finding =
      wordFinding({Kind::HardenedPython, "/h/python", {}, "valid, cms", "/t/my python"}, context());
  EXPECT_EQ(finding.code, "hardened-python");
  EXPECT_EQ(finding.path, "/h/python");
  EXPECT_EQ(finding.action, "codesign --force --sign - '/t/my python'");
}

TEST(Verdict, OneMajorIsEnoughUnlessOthersAreRequired) {
  const std::vector<survey::Group> groups = {{8, survey::Group::Need::OneMajor, {}},
                                             {7, survey::Group::Need::OneMajor, {}}};
  std::vector<GroupReport> reports = {{8, Verdict::Fails, Verdict::Fails, {}, {}},
                                      {7, Verdict::Unknown, Verdict::Unknown, {}, {}}};
  EXPECT_NE(verdictNow(groups, reports, {}), Verdict::Fails);
  EXPECT_NE(verdictNow(groups, reports, {7}), Verdict::Fails);
  EXPECT_EQ(verdictNow(groups, reports, {8}), Verdict::Fails);
  EXPECT_EQ(verdictNow(groups, reports, {6}), Verdict::Fails);
  reports[1].loads = Verdict::Fails;
  EXPECT_EQ(verdictNow(groups, reports, {}), Verdict::Fails);
}

TEST(Verdict, WithoutMajorsEverythingMustLoad) {
  const std::vector<survey::Group> groups = {{0, survey::Group::Need::Always, {}}};
  std::vector<GroupReport> reports = {{0, Verdict::Loads, Verdict::Loads, {}, {}}};
  EXPECT_NE(verdictNow(groups, reports, {}), Verdict::Fails);
  EXPECT_EQ(verdictNow(groups, reports, {7}), Verdict::Fails);
  reports[0].loads = Verdict::Fails;
  EXPECT_EQ(verdictNow(groups, reports, {}), Verdict::Fails);
}

TEST(Diagnosis, TheWorstOfAllPackagesComesFirst) {
  Diagnosis diagnosis;
  diagnosis.packages.resize(2);
  diagnosis.packages[0].isOk = true;
  diagnosis.packages[0].findings = {{"one", Severity::Info, {}, {}, {}, {}},
                                    {"two", Severity::Warning, {}, {}, {}, {}}};
  diagnosis.packages[1].findings = {{"three", Severity::Error, {}, {}, {}, {}}};
  EXPECT_FALSE(diagnosis.isOk());
  EXPECT_EQ(&diagnosis.decisive(), &diagnosis.packages[1]);
  EXPECT_EQ(diagnosis.findings()[0]->code, "three");
  EXPECT_EQ(diagnosis.findings()[2]->code, "one");
}

} // namespace
} // namespace tcfix::doctor
