// What all commands share: common options, usage errors, and how an outcome becomes output and an
// exit code.
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

/// One option of the command line.
struct Argument {
  std::string key;
  std::string value;
};

/// A parsed command line.
class Invocation {
public:
  /// Parses the words. For --help and --version prints them, for an error reports it; then returns
  /// nothing and sets `exitCode`.
  static std::optional<Invocation> parse(const Command& command, llvm::ArrayRef<const char*> words,
                                         int& exitCode);

  const std::vector<std::string>& operands() const { return operandList; }
  const std::vector<Argument>& arguments() const { return argumentList; } ///< in order
  bool isOn(const std::string& flag) const; ///< given, and not as --flag=false
  bool has(const std::string& option) const;
  std::string value(const std::string& option) const; ///< the last one given; empty if none

  /// --jobs, or the number of hardware threads.
  unsigned jobs() const;

  bool wantsJson() const { return isOn("json"); }
  bool isQuiet() const { return isOn("quiet"); }
  bool isVerbose() const { return isOn("verbose"); }
  report::Paint paint() const { return paintForOutput; }

  /// The command line of another command for `target`, ready to paste, with the options of this one
  /// that both support.
  std::string commandFor(llvm::StringRef command, const std::string& target) const;

  /// Reports a usage error; returns the exit code.
  int usageError(const std::string& message) const;

  void addError(Problem problem) { preamble.errors.push_back(std::move(problem)); }
  void addWarning(Problem problem) { preamble.warnings.push_back(std::move(problem)); }

  /// Ends the command: prints errors and warnings to standard error, then the text, or the JSON
  /// document from `json`, to standard output. Returns `code` if there was no error.
  int finish(int code, const std::string& text,
             llvm::function_ref<std::string(const report::Preamble&)> json);

private:
  std::string commandName;
  std::vector<std::string> operandList;
  std::vector<Argument> argumentList;
  report::Paint paintForOutput;
  report::Preamble preamble;
};

/// The result of `work` for the file at `path`, or the error if the file cannot be read.
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

/// True if --json is among these words, even if they are otherwise invalid.
bool requestsJson(llvm::ArrayRef<const char*> words);

/// The version of the program and of LLVM, as a line.
std::string versionLine();

/// Writes to standard error, without formatting.
void printError(const std::string& text);

/// Writes to standard output; on failure reports an error and returns false.
bool printOut(const std::string& text);

} // namespace tcfix::cli
