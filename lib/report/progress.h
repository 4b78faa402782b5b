// How far long work has come: one line on standard error that is drawn again and again, and gone in
// the end.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <mutex>
#include <string>

namespace tcfix::report {

class Progress {
public:
  /// `what` is such as "repairing". Silent unless standard error is a terminal and there is more
  /// than one thing to do.
  Progress(llvm::StringRef what, size_t total, bool isWanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more is done. Any thread may say so.
  void advance();
  /// Says something in between, on a line of its own.
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
