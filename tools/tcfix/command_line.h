// What all commands share: the options that work everywhere, errors of usage, and how an outcome
// becomes output and an exit code.
#pragma once

#include "command.h"

#include "base/error.h"
#include "io/file.h"
#include "report/json.h"
#include "report/log.h"

#include <string>
#include <vector>

namespace tcfix::cli {

enum ExitCode {
  kDone = 0,
  kProblemFound = 1,
  kWrongUsage = 2,
  kNotChanged = 3,
  kDoesNotLoad = 4,
  kInterrupted = 130
};

/// One option as it stood on the command line.
struct Argument {
  std::string key;
  std::string value;
};

/// A parsed command line.
class Invocation {
public:
  /// Parses; on --help prints it, on an error says so. Then nothing is returned and `exitCode` is
  /// what the process must return.
  static std::optional<Invocation> parse(const Command& command, llvm::ArrayRef<const char*> words,
                                         int& exitCode);

  const std::vector<std::string>& operands() const { return operandList; }
  const std::vector<Argument>& arguments() const { return argumentList; } ///< in their order
  bool isOn(const std::string& flag) const; ///< given, and not as --flag=false
  bool has(const std::string& option) const;
  std::string value(const std::string& option) const; ///< the last one given; empty if none

  /// --jobs, or as many as this machine works on at once.
  unsigned jobs() const;

  bool wantsJson() const { return isOn("json"); }
  bool isQuiet() const { return isOn("quiet"); }
  bool isVerbose() const { return isOn("verbose"); }
  report::Paint paint() const { return paintForOutput; }

  /// The command line of another command for `target`, ready to be pasted: with those options of
  /// this one that both take.
  std::string commandFor(llvm::StringRef command, const std::string& target) const;

  /// Says what is wrong with the command line; returns the exit code.
  int usageError(const std::string& message) const;

  void addError(Problem problem) { preamble.errors.push_back(std::move(problem)); }
  void addWarning(Problem problem) { preamble.warnings.push_back(std::move(problem)); }

  /// Ends the command: errors and warnings to standard error, then the text, or the JSON document
  /// that `json` makes, to standard output. `code` is returned if there was no error.
  int finish(int code, const std::string& text,
             llvm::function_ref<std::string(const report::Preamble&)> json);

private:
  std::string commandName;
  std::vector<std::string> operandList;
  std::vector<Argument> argumentList;
  report::Paint paintForOutput;
  report::Preamble preamble;
};

/// What `work` makes of the file at `path`, or why the file cannot be read.
template <typename Work>
auto withFile(const std::string& path, Work work)
    -> decltype(work(std::declval<io::InputFile&>())) {
  llvm::Expected<io::InputFile> file = io::InputFile::open(path);
  if (!file)
    return file.takeError();
  auto result = work(*file);
  if (llvm::Error error = file->checkWhole(result.takeError()))
    return error;
  return result;
}

/// True when these words of a command line ask for JSON, whether or not they make sense.
bool asksForJson(llvm::ArrayRef<const char*> words);

/// The version of the program and of what it stands on, as a line.
std::string versionLine();

/// Writes to standard error, as it is.
void printError(const std::string& text);

/// Writes to standard output; false when it cannot be written, which is then said.
bool printOut(const std::string& text);

} // namespace tcfix::cli
