// The progress of a long run: one line on standard error, redrawn in place and removed at the end.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <mutex>
#include <string>

namespace tcfix::report {

class Progress {
public:
  /// `what` is a word such as "repairing". Prints nothing unless standard error is a terminal that
  /// can erase a line (not TERM=dumb) and `total` is more than one.
  Progress(llvm::StringRef what, size_t total, bool isWanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Counts one more as done. Thread-safe.
  void advance();
  /// Prints a message on its own line.
  void say(const std::string& message);

private:
  void draw();
  void clear();

  std::mutex mutex;
  std::string what;
  size_t total;
  size_t done = 0;
  bool isShown;
};

} // namespace tcfix::report
