#include "io/process.h"

#include "io/system.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tcfix::io {

namespace {

using std::chrono::steady_clock;

/// Time between checks of the deadline, the process and an interrupt.
constexpr int kPauseMs = 20;

/// The program's output: the end that we read and the end that it writes to.
class OutputPipe {
public:
  OutputPipe() {
    int both[2];
    if (::pipe(both) != 0)
      return;
    // Keep the descriptors away from 0, 1 and 2, which may be free here and are reassigned in the
    // child; close them in every other program that is started.
    for (int i : {0, 1}) {
      ends[i] = ::fcntl(both[i], F_DUPFD_CLOEXEC, 3);
      ::close(both[i]);
    }
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  ~OutputPipe() {
    close(0);
    close(1);
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  bool isOpen() const { return ends[0] >= 0 && ends[1] >= 0; }
  int readEnd() const { return ends[0]; }
  int writeEnd() const { return ends[1]; }
  void closeWriteEnd() { close(1); }

  /// Reads what is available now: a process that writes continuously must not block us.
  void readInto(Tail& tail) {
    constexpr int kMaxReads = 64;
    char buffer[1 << 16];
    for (int reads = 0; ends[0] >= 0 && reads < kMaxReads; ++reads) {
      ssize_t size = ::read(ends[0], buffer, sizeof buffer);
      if (size > 0) {
        tail.append({buffer, static_cast<size_t>(size)});
        continue;
      }
      if (size < 0 && errno == EINTR)
        continue;
      if (size == 0) // all write ends are closed
        close(0);
      return;
    }
  }

private:
  void close(int i) {
    if (ends[i] >= 0)
      ::close(std::exchange(ends[i], -1));
  }
  int ends[2] = {-1, -1};
};

/// The attributes and actions of posix_spawn, which must be destroyed.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnPlan(const OutputPipe& output, const OutputPipe& errors) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output.writeEnd(), 1);
    ::posix_spawn_file_actions_adddup2(&actions, errors.writeEnd(), 2);
    ::posix_spawnattr_init(&attributes);
    short flags = POSIX_SPAWN_SETPGROUP; // its own group, which can be killed as a whole
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
    ::posix_spawnattr_setflags(&attributes, flags);
    ::posix_spawnattr_setpgroup(&attributes, 0);
  }
  ~SpawnPlan() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

/// True if the process has ended; it stays a zombie, so that its process id is not reused.
bool hasEnded(pid_t child) {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

} // namespace

ProcessResult runProcess(const ProcessRequest& request) {
  ProcessResult result;
  OutputPipe output, errors;
  if (!output.isOpen() || !errors.isOpen()) {
    result.message = std::strerror(errno);
    return result;
  }
  std::vector<char*> words = {const_cast<char*>(request.program.c_str())};
  for (const std::string& argument : request.arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  std::vector<char*> variables;
  for (char** variable = environ; variable && *variable; ++variable)
    if (isKept(*variable, request.withoutVariables))
      variables.push_back(*variable);
  for (const std::string& variable : request.variables)
    variables.push_back(const_cast<char*>(variable.c_str()));
  variables.push_back(nullptr);

  SpawnPlan plan(output, errors);
  pid_t child = -1;
  if (int error = ::posix_spawn(&child, request.program.c_str(), &plan.actions, &plan.attributes,
                                words.data(), variables.data())) {
    result.message = std::strerror(error);
    return result;
  }
  output.closeWriteEnd();
  errors.closeWriteEnd();

  Tail kept(request.outputLimit), keptErrors(request.outputLimit);
  const auto deadline = steady_clock::now() + request.limit;
  auto end = ProcessResult::End::Exited;
  while (!hasEnded(child)) {
    if (system::isInterrupted())
      end = ProcessResult::End::Interrupted;
    else if (steady_clock::now() >= deadline)
      end = ProcessResult::End::TimedOut;
    if (end != ProcessResult::End::Exited)
      break;
    pollfd ready[] = {{output.readEnd(), POLLIN, 0}, {errors.readEnd(), POLLIN, 0}};
    ::poll(ready, 2, kPauseMs); // ignores closed ends (-1)
    output.readInto(kept);
    errors.readInto(keptErrors);
  }
  // Kill what it left running as well; the group exists as long as its zombie.
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  output.readInto(kept);
  errors.readInto(keptErrors);
  result.output = kept.take();
  result.errors = keptErrors.take();
  result.end =
      end == ProcessResult::End::Exited && WIFSIGNALED(status) ? ProcessResult::End::Crashed : end;
  result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

} // namespace tcfix::io
