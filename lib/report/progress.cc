#include "report/progress.h"

#include "io/host.h"
#include "report/log.h"

#include <llvm/Support/raw_ostream.h>

namespace tcfix::report {

namespace {

// Moves to the first column and erases to the end of the line (ECMA-48).
constexpr llvm::StringLiteral kClearLine = "\r\x1b[K";

bool canRedraw() {
  return io::isErrorTerminal() && io::environmentVariable("TERM") != "dumb";
}

} // namespace

Progress::Progress(llvm::StringRef what, size_t total, bool isWanted)
    : what(what), total(total), isShown(isWanted && total > 1 && canRedraw()) {
  draw();
}

Progress::~Progress() {
  clear();
}

void Progress::advance() {
  std::lock_guard<std::mutex> guard(mutex);
  ++done;
  draw();
}

void Progress::say(const std::string& message) {
  std::lock_guard<std::mutex> guard(mutex);
  clear();
  logInfo(message);
  draw();
}

void Progress::draw() {
  if (isShown)
    llvm::errs() << kClearLine << what << ' ' << done << '/' << total;
}

void Progress::clear() {
  if (isShown)
    llvm::errs() << kClearLine;
}

} // namespace tcfix::report
