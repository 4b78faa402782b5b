#include "command_line.h"

#include "advice/advice.h"
#include "base/parallel.h"
#include "io/host.h"
#include "report/text.h"

// Prevents cxxopts from splitting values: file names cannot contain this character.
#define CXXOPTS_VECTOR_DELIMITER '\0'
// std::regex takes 3 s to compile, 100 kB and time at every start.
#define CXXOPTS_NO_REGEX
#include <cxxopts.hpp>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>

#include <algorithm>
#include <cstdio>

namespace tcfix::cli {

namespace {

constexpr const char* kOperands = "operands";

cxxopts::Options optionsOf(const Command& command) {
  cxxopts::Options options(("tcfix " + command.name).str(), command.description.str());
  for (const OptionGroup& group : allOptions(command)) {
    auto add = options.add_options(group.title.str());
    for (const Option& option : group.options) {
      if (option.isFlag())
        add(option.names.str(), option.help.str());
      else
        add(option.names.str(), option.help.str(), cxxopts::value<std::string>(),
            option.value.str());
    }
  }
  options.add_options("")(kOperands, "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional({kOperands});
  options.positional_help("");
  const std::string usage = ("[OPTION...] " + command.operands).str();
  options.custom_help(report::wrapped(usage, 8, ("  tcfix " + command.name + " ").str().size()));
  options.set_width(80);
  return options;
}

std::string helpOf(const Command& command, const cxxopts::Options& options) {
  std::vector<std::string> titles;
  for (const OptionGroup& group : allOptions(command))
    if (!llvm::is_contained(titles, group.title))
      titles.push_back(group.title.str());
  // cxxopts indents the titles of groups, and leaves blanks at the ends of wrapped lines.
  const std::string printed = options.help(titles);
  std::string help;
  for (llvm::StringRef line : llvm::split(printed, '\n')) {
    line = line.rtrim(' ');
    const bool isTitle = line.starts_with(" ") && line.ends_with(" options:");
    help += (isTitle ? line.drop_front() : line).str() + "\n";
  }
  return help + "Examples:\n" + command.examples.str();
}

// A message if the arguments are not what the command accepts, else nothing.
std::string findUsageProblem(const Command& command, const Invocation& invocation) {
  for (const OptionGroup& group : allOptions(command))
    for (const Option& option : group.options) {
      Syntax syntax = readSyntax(option.value);
      for (const Argument& argument : invocation.arguments())
        if (!option.isFlag() && argument.key == option.name() && !syntax.accepts(argument.value))
          return ("--" + option.name() + " takes " + syntax.description()).str();
    }
  Operands wanted = readOperands(command.operands);
  const std::vector<std::string>& given = invocation.operands();
  if (given.size() < wanted.least)
    return ("missing argument: " + command.operands).str();
  if (given.size() > wanted.each.size() && !wanted.isRepeated)
    return "unexpected argument: " + given[wanted.each.size()];
  for (size_t i = 0; i < std::min(given.size(), wanted.each.size()); ++i)
    if (!wanted.each[i].accepts(given[i]))
      return ("tcfix " + command.name + " takes " + wanted.each[i].description()).str();
  return {};
}

bool wantsColour(const std::string& when, bool isTerminal) {
  if (when == "always" || when == "never")
    return when == "always";
  return isTerminal && !io::environmentVariable("NO_COLOR");
}

int wrongUsage(const std::string& command, bool wantsJson, const std::string& message,
               const std::string& hint = {}) {
  Problem problem{
      ErrorCode::Usage, message, {}, hint.empty() ? "see tcfix " + command + " --help" : hint};
  report::logError(problem);
  if (wantsJson)
    printOut(report::jsonForError({command, false, {problem}, {}}));
  return kWrongUsage;
}

/// The option that an exception of cxxopts is about: only its message contains the name, in quotes.
std::string quotedOption(llvm::StringRef message) {
  return message.split(cxxopts::LQUOTE).second.rsplit(cxxopts::RQUOTE).first.str();
}

/// The unknown option as typed.
std::string unknownOption(llvm::StringRef message, llvm::ArrayRef<const char*> words) {
  const std::string name = quotedOption(message);
  if (name.size() > 1)
    return "--" + name;
  for (llvm::StringRef word : words) // -dryrun is parsed character by character
    if (word.size() > 2 && word.starts_with("-") && word[1] != '-' && word.contains(name))
      return word.str();
  return "-" + name;
}

std::string hintFor(const std::string& option, const Command& command) {
  std::vector<llvm::StringRef> names;
  for (const OptionGroup& group : allOptions(command))
    for (const Option& each : group.options)
      names.push_back(each.name());
  const llvm::StringRef meant = nearest(llvm::StringRef(option).ltrim('-'), names);
  return meant.empty() ? std::string() : ("did you mean --" + meant + "?").str();
}

// If there are several, the first of 130, 2, 3; then `code`.
int exitCodeFor(llvm::ArrayRef<Problem> errors, int code) {
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
  return code;
}

} // namespace

std::optional<Invocation> Invocation::parse(const Command& command,
                                            llvm::ArrayRef<const char*> words, int& exitCode) {
  cxxopts::Options options = optionsOf(command);
  Invocation invocation;
  invocation.commandName = command.name.str();
  invocation.preamble.command = command.name.str();
  // Report parse errors as JSON if --json is among the words.
  bool wantsJson = requestsJson(words);
  try {
    cxxopts::ParseResult result = options.parse(static_cast<int>(words.size()), words.data());
    for (const cxxopts::KeyValue& argument : result.arguments()) {
      if (argument.key() == kOperands)
        invocation.operandList.push_back(argument.value());
      else
        invocation.argumentList.push_back({argument.key(), argument.value()});
    }
  } catch (const cxxopts::exceptions::no_such_option& error) {
    const std::string option = unknownOption(error.what(), words);
    exitCode = wrongUsage(invocation.commandName, wantsJson, "unknown option: " + option,
                          hintFor(option, command));
    return std::nullopt;
  } catch (const cxxopts::exceptions::missing_argument& error) {
    const std::string option = quotedOption(error.what());
    exitCode = wrongUsage(invocation.commandName, wantsJson,
                          (option.size() == 1 ? "-" : "--") + option + " requires a value");
    return std::nullopt;
  } catch (const cxxopts::exceptions::exception& error) {
    exitCode = wrongUsage(invocation.commandName, wantsJson, error.what());
    return std::nullopt;
  }
  if (invocation.isOn("version")) {
    exitCode = printOut(versionLine()) ? kDone : kProblemFound;
    return std::nullopt;
  }
  if (invocation.isOn("help")) {
    exitCode = printOut(helpOf(command, options)) ? kDone : kProblemFound;
    return std::nullopt;
  }
  if (std::string wrong = findUsageProblem(command, invocation); !wrong.empty()) {
    exitCode = wrongUsage(invocation.commandName, wantsJson, wrong);
    return std::nullopt;
  }
  std::string when = invocation.value("color");
  invocation.paintForOutput.isOn = wantsColour(when, io::outputHasColors());
  report::setUpLog(invocation.isQuiet()     ? report::Verbosity::Quiet
                   : invocation.isVerbose() ? report::Verbosity::Verbose
                                            : report::Verbosity::Normal,
                   wantsColour(when, io::errorHasColors()));
  return invocation;
}

bool Invocation::isOn(const std::string& flag) const {
  return has(flag) && value(flag) != "false";
}

unsigned Invocation::jobs() const {
  unsigned number = 0;
  bool isGiven = !llvm::StringRef(value("jobs")).getAsInteger(10, number);
  return isGiven ? number : hardwareThreads();
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

std::string Invocation::commandFor(llvm::StringRef command, const std::string& target) const {
  std::string text = ("tcfix " + command).str();
  for (const OptionGroup& group : findCommand(command)->options)
    for (const Option& option : group.options)
      for (const Argument& argument : argumentList) {
        if (argument.key != option.name() || (option.isFlag() && !isOn(argument.key)))
          continue;
        text += " --" + argument.key;
        if (!option.isFlag())
          text += " " + advice::quoted(argument.value);
      }
  return text + " " + advice::quoted(target);
}

int Invocation::usageError(const std::string& message) const {
  return wrongUsage(commandName, wantsJson(), message);
}

int Invocation::finish(int code, const std::string& text,
                       llvm::function_ref<std::string(const report::Preamble&)> json) {
  for (const Problem& warning : preamble.warnings)
    report::logWarning(warning);
  for (const Problem& error : preamble.errors)
    report::logError(error);
  int exitCode = exitCodeFor(preamble.errors, code);
  preamble.isOk = exitCode == kDone;
  bool isPrinted = wantsJson() ? printOut(json(preamble)) : isQuiet() || printOut(text);
  // The work is done; only its report could not be written.
  return isPrinted || exitCode != kDone ? exitCode : kProblemFound;
}

bool requestsJson(llvm::ArrayRef<const char*> words) {
  return llvm::any_of(words, [](llvm::StringRef word) { return word == "--json"; });
}

std::string versionLine() {
  return "tcfix " TCFIX_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

void printError(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

bool printOut(const std::string& text) {
  bool isWritten = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && isWritten)
    return true;
  report::logError({ErrorCode::CannotWrite, "cannot write to standard output", {}, {}});
  return false;
}

} // namespace tcfix::cli
