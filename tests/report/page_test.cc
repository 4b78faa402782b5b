// The page as text; test_page.py opens it in a browser.
#include "diagnoses.h"
#include "report/markup.h"
#include "report/page.h"

#include <gmock/gmock.h>

namespace tcfix::report {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

TEST(Markup, TextIsEscaped) {
  EXPECT_EQ(escaped("<a href=\"x\" b='y'>&"), "&lt;a href=&quot;x&quot; b=&apos;y&apos;&gt;&amp;");
}

TEST(Markup, InvisibleCharactersAreMadeVisible) {
  EXPECT_EQ(escaped("a\nb"), "a\\x0ab");
  EXPECT_EQ(escaped("lib\xE2\x80\xAEos.so"), "lib\\xe280aeos.so");
  EXPECT_EQ(escaped("\xE2\x81\xA6"), "\\xe281a6");
  EXPECT_EQ(escaped("é…✕"), "é…✕");
  EXPECT_EQ(escaped("\xff"), "\\xff");
  EXPECT_EQ(escaped("\xC2\x9B"
                    "31m"),
            "\\xc29b31m");                      // the C1 form of "ESC ["
  EXPECT_EQ(escaped("\xE2\x82"), "\\xe2\\x82"); // truncated
}

TEST(Page, HasAllSections) {
  Diagnosis diagnosis = diagnosisOf({majorGroup(8), majorGroup(7)}, false);
  diagnosis.action = "tcfix apply v";
  diagnosis.packages[0].findings = {{"missing-symbols",
                                     doctor::Severity::Error,
                                     "it lacks some",
                                     "/a/b.so",
                                     {{"symbols", std::vector<std::string>{"one", "two"}}},
                                     "pip install x"}};
  std::string page = renderPage(diagnosis, "tcfix 9.9");
  for (const char* text :
       {"torchcodec 0.9.1", "what there is to say", "Broken", "<p>Cause: it lacks some</p>",
        "<code>tcfix apply v</code>", "FFmpeg 8", "it needs x", "missing-symbols", "it lacks some",
        "<code>/a/b.so</code>", "<code>two</code>", "<code>pip install x</code>", "<svg ",
        "tcfix 9.9", "<code>/somewhere/libavcodec.so.62</code> not there", "id=\"library-3\"",
        "href=\"#library-0\""})
    EXPECT_THAT(page, HasSubstr(text));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Page, NamesAreNotPlaceholdersOrMarkup) {
  std::string evil = "</title></svg><script>alert(1)</script>{{script-hash}}{0}%s.so";
  GroupReport group{0, Verdict::Fails, Verdict::Fails, {}, evil};
  std::string path = own(evil);
  group.libraries = {reportOn(path, Verdict::Fails, {lost(path, evil), found(path, "/" + evil)})};
  group.libraries[0].loads.problems[0].message = evil;
  Diagnosis diagnosis = diagnosisOf({group}, false);
  diagnosis.target = diagnosis.action = evil;
  diagnosis.packages[0].summary = diagnosis.packages[0].package = evil;
  diagnosis.packages[0].findings = {
      {evil, doctor::Severity::Warning, evil, evil, {{evil, evil}}, evil}};
  std::string page = renderPage(diagnosis, evil);
  EXPECT_THAT(page, HasSubstr("{{script-hash}}{0}%s.so"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  size_t scripts = 0;
  for (size_t at = page.find("<script"); at != page.npos; at = page.find("<script", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 1u);
}

TEST(Page, FindingsOfOneKindAreGroupedWithOneCommand) {
  Diagnosis diagnosis = diagnosisOf({}, false);
  for (const char* name : {"one", "two", "three", "four"})
    diagnosis.packages[0].findings.push_back(
        {"missing-symbols", doctor::Severity::Error, name, {}, {}, "pip install x"});
  diagnosis.packages[0].findings.push_back(
      {"missing-symbols", doctor::Severity::Error, "five", {}, {}, "pip install y"});
  std::string page = renderPage(diagnosis, "x");
  auto count = [&](llvm::StringRef text) { return llvm::StringRef(page).count(text); };
  EXPECT_EQ(count("<article"), 2u);
  EXPECT_EQ(count("<code>pip install x</code>"), 1u);
  EXPECT_EQ(count("2 more of this kind"), 1u);
  for (const char* text : {"<p>one</p>", "<p>four</p>", "<p>five</p>"})
    EXPECT_EQ(count(text), 1u);
}

TEST(Page, TheSameDiagnosisGivesTheSamePage) {
  Diagnosis diagnosis = diagnosisOf({majorGroup(8), majorGroup(7, "/usr/lib")}, true);
  EXPECT_EQ(renderPage(diagnosis, "x"), renderPage(diagnosis, "x"));
  EXPECT_THAT(renderPage(diagnosis, "x"), HasSubstr("(not needed)"));
}

TEST(Page, AnUnknownVerdictIsNotOk) {
  Diagnosis diagnosis = diagnosisOf({}, true);
  diagnosis.isKnown = false;
  EXPECT_THAT(renderPage(diagnosis, "x"), HasSubstr("No problem found"));
}

} // namespace
} // namespace tcfix::report
