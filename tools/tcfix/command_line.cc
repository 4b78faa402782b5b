#include "command_line.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/Process.h>

#include <algorithm>
#include <cstdio>

namespace tcfix::cli {

namespace {

constexpr const char* kOperands = "operands";

void addCommonOptions(cxxopts::Options& options) {
  auto add = options.add_options("Common");
  add("json", "print one JSON document on standard output");
  add("q,quiet", "say nothing but errors");
  add("v,verbose", "say more");
  add("color", "auto, always or never", cxxopts::value<std::string>(), "WHEN");
  add("version", "say which version this is");
  add("h,help", "show this help");
  options.add_options("")(kOperands, "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional({kOperands});
  options.positional_help("");
}

bool wantsColour(const std::string& when, bool isTerminal) {
  if (when == "always" || when == "never")
    return when == "always";
  return isTerminal && !llvm::sys::Process::GetEnv("NO_COLOR");
}

int wrongUsage(const std::string& command, bool wantsJson, const std::string& message) {
  Problem problem{ErrorCode::Usage, message, {}, "see tcfix " + command + " --help"};
  report::logError(problem);
  if (wantsJson)
    printOut(report::jsonForError({command, false, {problem}, {}}));
  return kWrongUsage;
}

// Several at once: the first of 130, 2, 3, 1.
int exitCodeFor(llvm::ArrayRef<Problem> errors, bool hasFindings) {
  bool hasUsage = false;
  for (const Problem& error : errors) {
    if (error.code == ErrorCode::Interrupted)
      return kInterrupted;
    hasUsage |= error.code == ErrorCode::Usage || error.code == ErrorCode::NotFound;
  }
  if (hasUsage)
    return kWrongUsage;
  if (!errors.empty())
    return kNotChanged;
  return hasFindings ? kProblemFound : kDone;
}

} // namespace

std::optional<Invocation> Invocation::parse(const CommandText& text, cxxopts::Options options,
                                            int argc, const char* const* argv, int& exitCode) {
  addCommonOptions(options);
  options.set_width(80);
  options.custom_help("[OPTION...] " + text.operands);
  Invocation invocation;
  invocation.commandName = text.name;
  invocation.preamble.command = text.name;
  // Errors of parsing are told in the form that was asked for, as far as that can be known.
  bool wantsJson = std::any_of(
      argv, argv + argc, [](const char* argument) { return std::string(argument) == "--json"; });
  try {
    cxxopts::ParseResult result = options.parse(argc, argv);
    for (const cxxopts::KeyValue& argument : result.arguments()) {
      if (argument.key() == kOperands)
        invocation.operandList.push_back(argument.value());
      else
        invocation.argumentList.push_back({argument.key(), argument.value()});
    }
  } catch (const cxxopts::exceptions::exception& error) {
    exitCode = wrongUsage(text.name, wantsJson, error.what());
    return std::nullopt;
  }
  if (invocation.isOn("version")) {
    exitCode = printOut(versionLine()) ? kDone : kProblemFound;
    return std::nullopt;
  }
  if (invocation.isOn("help")) {
    exitCode = printOut(options.help({"", "Common"}) + "\nExamples:\n" + text.examples)
                   ? kDone
                   : kProblemFound;
    return std::nullopt;
  }
  std::string when = invocation.value("color");
  if (!when.empty() && when != "auto" && when != "always" && when != "never") {
    exitCode = wrongUsage(text.name, wantsJson, "--color takes auto, always or never");
    return std::nullopt;
  }
  using llvm::sys::Process;
  invocation.paintForOutput.isOn = wantsColour(when, Process::StandardOutHasColors());
  report::setUpLog(invocation.isQuiet()     ? report::Verbosity::Quiet
                   : invocation.isVerbose() ? report::Verbosity::Verbose
                                            : report::Verbosity::Normal,
                   wantsColour(when, Process::StandardErrHasColors()));
  return invocation;
}

bool Invocation::isOn(const std::string& flag) const {
  return has(flag) && value(flag) != "false";
}

bool Invocation::has(const std::string& option) const {
  return std::any_of(argumentList.begin(), argumentList.end(),
                     [&](const Argument& argument) { return argument.key == option; });
}

std::string Invocation::value(const std::string& option) const {
  std::string last;
  for (const Argument& argument : argumentList)
    if (argument.key == option)
      last = argument.value;
  return last;
}

int Invocation::usageError(const std::string& message) const {
  return wrongUsage(commandName, wantsJson(), message);
}

int Invocation::finish(bool hasFindings, const std::string& text,
                       llvm::function_ref<std::string(const report::Preamble&)> json) {
  for (const Problem& warning : preamble.warnings)
    report::logWarning(warning);
  for (const Problem& error : preamble.errors)
    report::logError(error);
  int exitCode = exitCodeFor(preamble.errors, hasFindings);
  preamble.isOk = exitCode == kDone;
  bool isPrinted = wantsJson() ? printOut(json(preamble)) : isQuiet() || printOut(text);
  // The work is done as the code says; only the report of it is lost.
  return isPrinted || exitCode != kDone ? exitCode : kProblemFound;
}

std::string versionLine() {
  return "tcfix " TCFIX_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

bool printOut(const std::string& text) {
  bool isWritten = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && isWritten)
    return true;
  report::logError({ErrorCode::CannotWrite, "standard output cannot be written", {}, {}});
  return false;
}

} // namespace tcfix::cli
