#include "report/log.h"

#include "report/text.h"

#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

namespace tcfix::report {

namespace {

std::string sentence(const Problem& problem) {
  std::string text;
  if (!problem.path.empty())
    text = printable(problem.path) + ": ";
  text += printable(problem.message);
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
  spdlog::error("{}", sentence(problem));
}
void logWarning(const Problem& problem) {
  spdlog::warn("{}", sentence(problem));
}
void logInfo(const std::string& message) {
  spdlog::info("{}", printable(message));
}

} // namespace tcfix::report
