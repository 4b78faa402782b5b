// Every package, one line each.
#include "diagnoses.h"
#include "report/doctor.h"
#include "report/overview.h"
#include "report/page.h"

#include <gmock/gmock.h>

namespace tcfix::report {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

doctor::PackageDiagnosis package(const std::string& name, Verdict verdict, size_t warnings = 0) {
  doctor::PackageDiagnosis made;
  made.name = name;
  made.version = "1.0";
  made.package = name + " 1.0";
  made.verdict = verdict;
  made.isOk = verdict != Verdict::Fails;
  made.census = {24, verdict == Verdict::Fails ? 1u : 0u, true, 3, warnings};
  if (!made.isOk)
    made.cause = "a.so requires b.so, which was not found";
  for (size_t i = 0; i < warnings; ++i)
    made.findings.push_back(
        {"on-demand-missing", doctor::Severity::Warning, "c.so needs d.so", {}, {}, {}});
  return made;
}

Diagnosis diagnosisOfAll() {
  Diagnosis diagnosis;
  diagnosis.target = "v";
  diagnosis.isOfAll = true;
  diagnosis.packages = {package("broken", Verdict::Fails), package("good", Verdict::Loads),
                        package("warned", Verdict::Loads, 2)};
  return diagnosis;
}

TEST(Overview, ALineHasTheVerdictAndTheFirstCause) {
  const std::string text = renderOverview(diagnosisOfAll(), false, Paint{});
  EXPECT_THAT(text, HasSubstr("good 1.0    loads\n"));
  EXPECT_THAT(text, HasSubstr("broken 1.0  does not load: 1 of 24 modules: a.so"));
  EXPECT_THAT(text, HasSubstr("warned 1.0  loads, with warnings: 2 of 3 on-demand libraries"));
  EXPECT_THAT(text, HasSubstr("broken: 3 packages with native libraries: 1 loads, 1 loads with"));
  EXPECT_LT(text.find("good 1.0"), text.find("broken 1.0")); // the most important comes last
}

TEST(Overview, JsonHasPackagesAndNoGroups) {
  const std::string json = jsonForDoctor({"doctor", false, {}, {}}, diagnosisOfAll());
  EXPECT_THAT(json, HasSubstr("\"verdict\": \"broken\""));
  EXPECT_THAT(json, HasSubstr("\"warnings\": 2,\n      \"libraries\": 27"));
  EXPECT_THAT(json, HasSubstr("\"cause\": \"a.so requires b.so, which was not found\""));
  EXPECT_THAT(json, Not(HasSubstr("\"groups\"")));
}

TEST(Overview, TheOverallVerdictIsTheWorst) {
  Diagnosis diagnosis = diagnosisOfAll();
  EXPECT_EQ(diagnosis.verdict(), Verdict::Fails);
  diagnosis.packages.erase(diagnosis.packages.begin());
  EXPECT_EQ(diagnosis.verdict(), Verdict::Loads);
  diagnosis.packages.push_back(package("far", Verdict::Unknown));
  EXPECT_EQ(diagnosis.verdict(), Verdict::Unknown);
  EXPECT_TRUE(diagnosis.isOk());
}

TEST(Overview, ThePageSortsAndFolds) {
  Diagnosis diagnosis = diagnosisOfAll();
  diagnosis.packages[0].groups = {majorGroup(7)};
  const std::string page = renderPage(diagnosis, "tcfix 9.9");
  for (const char* text : {"broken 1.0", "warned 1.0", "class=\"sort\"", "<svg ",
                           "id=\"library-1\"", "24 modules, 3 on demand"})
    EXPECT_THAT(page, HasSubstr(text));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

} // namespace
} // namespace tcfix::report
