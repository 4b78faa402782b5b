// Child processes: their output, how they end, and that none of them remains. POSIX only: a shell
// is used as the program.
#include "io/process.h"

#include "support/temporary_folder.h"

#include <llvm/ADT/StringExtras.h>

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tcfix::io {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using End = ProcessResult::End;

ProcessRequest shell(const std::string& script) {
  return {"/bin/sh", {"-c", script}};
}

TEST(Process, OutputsAndExitCode) {
  ProcessResult result = runProcess(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.end, End::Exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
}

TEST(Process, ArgumentsAreNotReadByAShell) {
  ProcessResult result = runProcess({"/bin/echo", {"$HOME; `id`", "two  words"}});
  EXPECT_EQ(result.output, "$HOME; `id` two  words\n");
}

TEST(Process, StandardInputIsEmpty) {
  EXPECT_EQ(runProcess(shell("cat; echo end")).output, "end\n");
}

TEST(Process, VariablesAreRemovedAndAdded) {
  ::setenv("PYTHONHOME", "/nowhere", 1);
  ::setenv("TCFIX_KEPT", "kept", 1);
  ProcessRequest request = shell("echo [$PYTHONHOME] [$TCFIX_KEPT] [$TCFIX_NEW]");
  request.withoutVariables = {"PYTHON"};
  request.variables = {"TCFIX_NEW=new"};
  EXPECT_EQ(runProcess(request).output, "[] [kept] [new]\n");
  EXPECT_EQ(runProcess(shell("echo $PYTHONHOME")).output, "/nowhere\n");
  ::unsetenv("PYTHONHOME");
  ::unsetenv("TCFIX_KEPT");
}

TEST(Process, ASignalIsACrash) {
  ProcessResult result = runProcess(shell("kill -SEGV $$"));
  EXPECT_EQ(result.end, End::Crashed);
  EXPECT_EQ(result.code, SIGSEGV);
}

TEST(Process, TheEndOfALongOutputIsKept) {
  ProcessRequest request = shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done");
  request.outputLimit = 1000;
  std::string output = runProcess(request).output;
  EXPECT_EQ(output.size(), 1000u);
  EXPECT_THAT(output, AllOf(HasSubstr("line 19999\n"), Not(HasSubstr("line 19000\n"))));
}

TEST(Process, EndlessOutputEndsAtTheTimeLimit) {
  ProcessRequest request = shell("while :; do echo garbage; echo garbage >&2; done");
  request.limit = milliseconds(500);
  request.outputLimit = 1000;
  ProcessResult result = runProcess(request);
  EXPECT_EQ(result.end, End::TimedOut);
  EXPECT_EQ(result.output.size(), 1000u);
}

/// A named pipe that a program and its children keep open: it is closed once all of them have
/// ended.
class Holder {
public:
  Holder() : path(folder.path("held")) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  }
  ~Holder() { ::close(descriptor); }

  bool isReleased() const {
    char byte;
    for (int tries = 0; tries < 1000; ++tries) {
      if (::read(descriptor, &byte, 1) == 0)
        return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

  support::TemporaryFolder folder;
  std::string path;

private:
  int descriptor;
};

TEST(Process, AHangingProgramAndItsChildrenEndAtTheTimeLimit) {
  Holder holder;
  ProcessRequest request = shell("exec 9>" + holder.path + "; sleep 1000 & echo started; wait");
  request.limit = milliseconds(500);
  ProcessResult result = runProcess(request);
  EXPECT_EQ(result.end, End::TimedOut);
  EXPECT_EQ(result.output, "started\n");
  EXPECT_TRUE(holder.isReleased());
}

// A remaining child keeps the outputs open; runProcess does not wait for it, but kills it.
TEST(Process, RemainingChildrenAreKilled) {
  Holder holder;
  ProcessResult result = runProcess(shell("exec 9>" + holder.path + "; sleep 1000 & echo done"));
  EXPECT_EQ(result.end, End::Exited);
  EXPECT_EQ(result.output, "done\n");
  EXPECT_TRUE(holder.isReleased());
}

TEST(Process, AProgramThatCannotBeStarted) {
  support::TemporaryFolder folder;
  for (const std::string& program :
       {folder.path("absent"), folder.path(),
        folder.write("plain", llvm::arrayRefFromStringRef("no program"))}) {
    ProcessResult result = runProcess({program, {}});
    EXPECT_EQ(result.end, End::NotStarted) << program;
    EXPECT_NE(result.message, "") << program;
  }
}

} // namespace
} // namespace tcfix::io

#endif
