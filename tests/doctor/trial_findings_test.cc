// The doctor's findings about a trial (--run).
#include "doctor/cases.h"

#include <gmock/gmock.h>

namespace tcfix::doctor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

trial::GroupTrial groupOf(Verdict simulated, const std::string& cause, bool loads,
                          const std::string& message) {
  return {"torchcodec", 7, {simulated, cause}, {{"/env/core7.so", loads, message}}};
}

std::vector<Finding> findingsOf(trial::Trial trial) {
  Case made;
  made.trial = std::move(trial);
  return made.run(findTrialDefects);
}

TEST(TrialFindings, NoneWithoutATrial) {
  EXPECT_THAT(Case().codes(findTrialDefects), IsEmpty());
}

TEST(TrialFindings, AgreementIsInformation) {
  trial::Trial trial;
  trial.isOk = true;
  trial.ffmpegMajor = 7;
  trial.groups = {groupOf(Verdict::Loads, {}, true, {})};
  std::vector<Finding> findings = findingsOf(trial);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "loads-for-real");
  EXPECT_EQ(findings[0].severity, Severity::Info);
  EXPECT_THAT(findings[0].message, HasSubstr("with FFmpeg 7"));
}

TEST(TrialFindings, FailureInBothNeedsNoFinding) {
  trial::Trial trial;
  trial.failure = "RuntimeError";
  trial.groups = {groupOf(Verdict::Fails, "it needs x", false, "x: not found")};
  EXPECT_THAT(findingsOf(trial), IsEmpty());
}

// A result is never empty: that would read as "loads".
TEST(TrialFindings, BothResultsAreReportedEvenWithoutReasons) {
  trial::Trial trial;
  trial.groups = {groupOf(Verdict::Fails, {}, true, {})};
  EXPECT_THAT(findingsOf(trial)[0].message,
              HasSubstr("in the simulation it does not load (for an unknown reason), but in "
                        "this environment's Python it loads"));
  trial.groups = {groupOf(Verdict::Loads, {}, false, {})};
  EXPECT_THAT(findingsOf(trial)[0].message,
              HasSubstr("in the simulation it loads, but in this environment's Python it does "
                        "not load (for an unknown reason)"));
}

TEST(TrialFindings, AFailingImportIsNotAProblemOfTheLibraries) {
  trial::Trial trial;
  trial.smokeTest = "import torchcodec";
  trial.python = "/env/bin/python";
  trial.failure = "ModuleNotFoundError: No module named 'numpy'\nmore";
  trial.groups = {groupOf(Verdict::Loads, {}, true, {})};
  std::vector<Finding> findings = findingsOf(trial);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "import-fails");
  EXPECT_THAT(findings[0].message, HasSubstr("No module named 'numpy' (the command"));
  EXPECT_EQ(findings[0].action, "/env/bin/python -c \"import torchcodec\"");
}

} // namespace
} // namespace tcfix::doctor
