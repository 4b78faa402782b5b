// Programs that are started, watched and ended. process_posix.cc and process_windows.cc are twins.
//
// There is no shell and no search on PATH. Standard input is empty. Whatever the program started
// and left running ends with it; only a process that moved itself out of the group (POSIX: setsid)
// survives.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <chrono>
#include <string>
#include <vector>

namespace tcfix::io {

struct ProcessRequest {
  std::string program; ///< its path
  std::vector<std::string> arguments;
  /// Environment variables whose names begin with one of these are left out.
  std::vector<std::string> withoutVariables = {};
  std::vector<std::string> variables = {}; ///< "NAME=value", besides those of this process
  std::chrono::milliseconds limit = std::chrono::seconds(60);
  size_t outputLimit = size_t(1) << 20; ///< how much of each output is kept: its end
};

struct ProcessResult {
  enum class End {
    Exited,
    Crashed, ///< by a signal, or an exception of Windows
    TimedOut,
    Interrupted, ///< the user pressed Ctrl-C (system::watchForInterrupts)
    NotStarted,
  };
  End end = End::NotStarted;
  int code = 0; ///< the exit code, or the signal
  std::string output;
  std::string errors;
  std::string message; ///< why it could not be started
};

/// Starts a program and returns when it and its children have ended, whichever way.
ProcessResult runProcess(const ProcessRequest& request);

/// The end of a long text.
class Tail {
public:
  explicit Tail(size_t limit) : limit(limit) {}
  void append(llvm::StringRef part) {
    text += part.take_back(limit);
    if (text.size() > 2 * limit) // not each time: text moves
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

/// False for a variable ("NAME=value") that begins with one of these prefixes.
inline bool isKept(llvm::StringRef variable, llvm::ArrayRef<std::string> prefixes) {
  for (llvm::StringRef prefix : prefixes)
    if (variable.starts_with(prefix))
      return false;
  return true;
}

} // namespace tcfix::io
