// Trials with a shell script instead of Python: how results are read, and what happens if there is
// no result. tests/cli/test_run.py uses a real Python.
#include "trial/trial.h"

#include "support/temporary_folder.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>

#include <gmock/gmock.h>

#ifndef _WIN32

namespace tcfix::trial {
namespace {

using resolve::Verdict;
using std::chrono::milliseconds;
using survey::Group;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class TrialTest : public testing::Test {
protected:
  TrialTest() {
    facts.package.name = "torchcodec";
    facts.package.version = "0.9.1";
    facts.package.recipe = recipe::recipeFor("torchcodec");
  }

  /// The script gets Python's arguments: $5 is "smoke" or "load", $8 and later are libraries.
  Trial run(const std::string& script, TrialOptions options = {}) {
    std::string path = folder.write("python", llvm::arrayRefFromStringRef("#!/bin/sh\n" + script));
    llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_exe | llvm::sys::fs::all_read);
    llvm::Expected<Trial> trial = tryOut({path}, facts, groups, expected, options);
    EXPECT_TRUE(bool(trial)) << llvm::toString(trial.takeError());
    return std::move(*trial);
  }

  void add(int major, std::vector<std::string> names, Verdict verdict, std::string cause = {},
           Group::Need need = Group::Need::OneMajor) {
    Group& group = groups.emplace_back();
    group.major = major;
    group.need = need;
    for (const std::string& name : names) {
      libraries.push_back(std::make_unique<survey::LibraryFacts>());
      libraries.back()->path = "/site/torchcodec/" + name;
      group.libraries.push_back(libraries.back().get());
    }
    expected.push_back({verdict, std::move(cause)});
  }

  support::TemporaryFolder folder;
  survey::PackageFacts facts;
  std::vector<Group> groups;
  std::vector<Expectation> expected;

private:
  std::vector<std::unique_ptr<survey::LibraryFacts>> libraries;
};

// The results of a package that uses FFmpeg 7.
const std::string kSeven = R"(
if [ "$5" = smoke ]; then echo 'tcfix-trial:{"ok": true, "printed": "7"}'
elif [ "$8" = /site/torchcodec/core7.so ]; then echo 'tcfix-trial:{"loaded": 0}'
else echo 'tcfix-trial:{"failed": 0, "error": "libavutil.so.60: cannot open"}'; fi
echo 'tcfix-trial:{"done": true}'
)";

TEST_F(TrialTest, Agrees) {
  add(8, {"core8.so"}, Verdict::Fails, "core8.so needs libavutil.so.60");
  add(7, {"core7.so"}, Verdict::Loads);
  Trial trial = run(kSeven);
  EXPECT_TRUE(trial.isOk);
  EXPECT_TRUE(trial.agrees());
  EXPECT_EQ(trial.ffmpegMajor, 7);
  EXPECT_TRUE(trial.loads(7));
  EXPECT_FALSE(trial.loads(8));
  EXPECT_EQ(trial.groups[0].cause(), "libavutil.so.60: cannot open");
  EXPECT_EQ(trial.reason({}), "");
}

TEST_F(TrialTest, RequiredMajorsCount) {
  add(8, {"core8.so"}, Verdict::Fails);
  add(7, {"core7.so"}, Verdict::Loads);
  EXPECT_TRUE(run(kSeven, {.required = {7}}).isOk);
  Trial trial = run(kSeven, {.required = {7, 8}});
  EXPECT_FALSE(trial.isOk);
  EXPECT_EQ(trial.reason({7, 8}), "FFmpeg 8: libavutil.so.60: cannot open");
  EXPECT_EQ(run(kSeven, {.required = {9}}).reason({9}), "no libraries for FFmpeg 9");
}

TEST_F(TrialTest, DisagreesEitherWay) {
  add(8, {"core8.so"}, Verdict::Loads);
  add(7, {"core7.so"}, Verdict::Fails, "core7.so needs libavutil.so.59");
  Trial trial = run(kSeven);
  EXPECT_TRUE(trial.isOk); // the real result counts
  EXPECT_FALSE(trial.agrees());
  EXPECT_FALSE(trial.groups[0].agrees());
  EXPECT_FALSE(trial.groups[1].agrees());
}

TEST_F(TrialTest, AnUnknownVerdictAgreesWithEverything) {
  add(8, {"core8.so"}, Verdict::Unknown);
  add(7, {"core7.so"}, Verdict::Unknown);
  EXPECT_TRUE(run(kSeven).agrees());
}

TEST_F(TrialTest, AnImportWithoutFfmpegIsAFailure) {
  add(7, {"core7.so"}, Verdict::Fails);
  Trial trial = run(R"(echo 'tcfix-trial:{"ok": true, "printed": "None"}')");
  EXPECT_FALSE(trial.isOk);
  EXPECT_THAT(trial.failure, HasSubstr("finds no FFmpeg"));
}

TEST_F(TrialTest, AHangingPythonIsKilled) {
  add(7, {"core7.so", "ops7.so"}, Verdict::Loads);
  Trial trial = run(R"(echo 'tcfix-trial:{"loaded": 0}'; echo 'tcfix-trial:{"loading": 1}'
                       sleep 1000)",
                    {.limit = milliseconds(400)});
  EXPECT_FALSE(trial.isOk);
  EXPECT_FALSE(trial.agrees());
  EXPECT_TRUE(trial.groups[0].libraries[0].loads);
  EXPECT_EQ(trial.groups[0].libraries[1].message,
            "Python did not finish within 1 s and was killed");
}

TEST_F(TrialTest, ACrashIsReported) {
  add(7, {"core7.so", "ops7.so", "more7.so"}, Verdict::Loads);
  Trial trial = run(R"(echo 'tcfix-trial:{"loaded": 0}'; echo 'tcfix-trial:{"loading": 1}'
                       echo bad news >&2; kill -SEGV $$)");
  EXPECT_FALSE(trial.isOk);
  EXPECT_EQ(trial.failure, "Python crashed with signal 11: bad news");
  std::vector<std::string> messages;
  for (const LibraryTrial& library : trial.groups[0].libraries)
    messages.push_back(library.message);
  EXPECT_THAT(messages, ElementsAre("", "Python crashed with signal 11: bad news",
                                    "not reached: Python crashed with signal 11: bad news"));
}

TEST_F(TrialTest, GarbageIsNotAResult) {
  add(7, {"core7.so"}, Verdict::Loads);
  for (const std::string script :
       {"echo 'tcfix-trial:{\"loaded\": 99}'; echo 'tcfix-trial:{\"loaded\"'; exit 3",
        "printf 'tcfix-trial:[1]\\n\\377\\376 tcfix-trial:{\"loaded\": 0}\\n'; exit 3",
        "i=0; while [ $i -lt 30000 ]; do echo tcfix-trial: garbage without an end; i=$((i+1)); "
        "done; exit 3"}) {
    Trial trial = run(script);
    EXPECT_FALSE(trial.isOk) << script;
    EXPECT_FALSE(trial.groups[0].loads()) << script;
    EXPECT_THAT(trial.groups[0].cause(),
                StartsWith("Python ended with exit code 3 and without a result"));
  }
}

TEST_F(TrialTest, APythonThatCannotBeStarted) {
  add(7, {"core7.so"}, Verdict::Loads);
  llvm::Expected<Trial> trial = tryOut({folder.path("absent")}, facts, groups, expected, {});
  ASSERT_TRUE(bool(trial));
  EXPECT_FALSE(trial->isOk);
  EXPECT_THAT(trial->failure, StartsWith("failed to start Python: "));
}

TEST_F(TrialTest, LibrariesWithoutMajorShareAProcessAndOnDemandOnesAreSkipped) {
  facts.package.recipe = recipe::recipeFor("other");
  add(0, {"a.so"}, Verdict::Loads, {}, Group::Need::Always);
  add(0, {"b.so"}, Verdict::Fails, "b.so needs c.so", Group::Need::Always);
  add(0, {"d.so"}, Verdict::Loads, {}, Group::Need::OnDemand);
  Trial trial = run(R"(echo "tcfix-trial:{\"failed\": 0, \"error\": \"$*\"}" | tail -1
                       echo 'tcfix-trial:{"done": true}')");
  ASSERT_EQ(trial.groups.size(), 1u);
  EXPECT_EQ(trial.groups[0].libraries.size(), 2u);
  EXPECT_EQ(trial.groups[0].expected.loads, Verdict::Fails);
  EXPECT_EQ(trial.groups[0].expected.cause, "b.so needs c.so");
}

TEST_F(TrialTest, PythonIsStartedIsolated) {
  add(7, {"core7.so"}, Verdict::Loads);
  facts.isAfterTorch = true;
  facts.torch = providers::TorchInstall{"2.9.1", "/site/torch/lib", "/site"};
  run("if [ $5 = load ]; then echo \"$1 $2 $3 $5 $6 $7 $8 $#\" > " + folder.path("words") + "; fi");
  auto bytes = support::readFile(folder.path("words"));
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()),
            "-I -B -c load torch - /site/torchcodec/core7.so 8\n");
}

TEST_F(TrialTest, SeveralPackagesAreCombined) {
  Trial good, bad;
  good.isOk = true;
  good.groups.resize(1);
  good.seconds = bad.seconds = 1;
  bad.failure = "ImportError";
  bad.ffmpegMajor = 7;
  Trial all = together({good, bad});
  EXPECT_FALSE(all.isOk);
  EXPECT_EQ(all.failure, "ImportError");
  EXPECT_EQ(all.ffmpegMajor, 7);
  EXPECT_EQ(all.seconds, 2);
  EXPECT_EQ(all.groups.size(), 1u);
}

} // namespace
} // namespace tcfix::trial

#endif
