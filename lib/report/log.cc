#include "report/log.h"

#include "io/host.h"
#include "report/text.h"

#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

namespace tcfix::report {

namespace {

/// On a terminal lines are wrapped. In a pipe or a file a message stays on one line, for grep.
std::string wrappedForError(const std::string& text, size_t column) {
  return io::isErrorTerminal() ? wrapped(text, 4, column) : text;
}

/// The message after the name of its level.
std::string sentence(const Problem& problem, llvm::StringRef level) {
  std::string text;
  if (!problem.path.empty())
    text = printable(problem.path) + ": ";
  text = wrappedForError(text + printable(problem.message), level.size() + 2);
  // A hint is often a command; it is not wrapped, so that it can be pasted.
  if (!problem.hint.empty())
    text += "\n  hint: " + printable(problem.hint);
  return text;
}

} // namespace

void setUpLog(Verbosity verbosity, bool withColour) {
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(
      withColour ? spdlog::color_mode::always : spdlog::color_mode::never);
  auto logger = std::make_shared<spdlog::logger>("tcfix", std::move(sink));
  logger->set_pattern("%^%l%$: %v");
  logger->set_level(verbosity == Verbosity::Quiet     ? spdlog::level::err
                    : verbosity == Verbosity::Verbose ? spdlog::level::debug
                                                      : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void logError(const Problem& problem) {
  spdlog::error("{}", sentence(problem, "error"));
}
void logWarning(const Problem& problem) {
  spdlog::warn("{}", sentence(problem, "warning"));
}
void logInfo(const std::string& message) {
  spdlog::info("{}", wrappedForError(printable(message), 6));
}

} // namespace tcfix::report
