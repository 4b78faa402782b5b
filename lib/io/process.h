// Child processes: started, monitored and ended. Implemented in process_posix.cc and
// process_windows.cc.
//
// No shell and no search on PATH. Standard input is empty. Everything that the program started and
// left running is killed with it; only a process that left the process group (POSIX: setsid)
// survives.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <chrono>
#include <string>
#include <vector>

namespace tcfix::io {

struct ProcessRequest {
  std::string program; ///< a path
  std::vector<std::string> arguments;
  /// Environment variables whose names begin with one of these prefixes are removed.
  std::vector<std::string> withoutVariables = {};
  std::vector<std::string> variables = {}; ///< "NAME=value", added to those of this process
  std::chrono::milliseconds limit = std::chrono::seconds(60);
  size_t outputLimit = size_t(1) << 20; ///< bytes kept of each output: the end of it
};

struct ProcessResult {
  enum class End {
    Exited,
    Crashed, ///< by a signal or a Windows exception
    TimedOut,
    Interrupted, ///< the user pressed Ctrl-C (system::watchForInterrupts)
    NotStarted,
  };
  End end = End::NotStarted;
  int code = 0; ///< the exit code, or the signal
  std::string output;
  std::string errors;
  std::string message; ///< why it failed to start
};

/// Starts a program and returns once it and its children have ended.
ProcessResult runProcess(const ProcessRequest& request);

/// Keeps the end of a long text.
class Tail {
public:
  explicit Tail(size_t limit) : limit(limit) {}
  void append(llvm::StringRef part) {
    text += part.take_back(limit);
    if (text.size() > 2 * limit) // not on every call, because it moves the text
      text.erase(0, text.size() - limit);
  }
  std::string take() {
    if (text.size() > limit)
      text.erase(0, text.size() - limit);
    return std::move(text);
  }

private:
  size_t limit;
  std::string text;
};

/// False if a variable ("NAME=value") begins with one of these prefixes.
inline bool isKept(llvm::StringRef variable, llvm::ArrayRef<std::string> prefixes) {
  for (llvm::StringRef prefix : prefixes)
    if (variable.starts_with(prefix))
      return false;
  return true;
}

} // namespace tcfix::io
