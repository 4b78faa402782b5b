// tcfix: finds the command and hands over to it.

#include "command_line.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

namespace {

using namespace tcfix;

int wrongCommand(const std::string& message, const std::string& hint, bool wantsJson) {
  Problem problem{ErrorCode::Usage, message, {}, hint};
  report::logError(problem);
  if (wantsJson)
    cli::printOut(report::jsonForError({"", false, {problem}, {}}));
  return cli::kWrongUsage;
}

int noCommand(bool wantsJson) {
  const int code = wrongCommand("no command given", {}, wantsJson);
  if (!wantsJson)
    cli::printError("\n" + cli::generalHelp());
  return code;
}

int unknownCommand(const std::string& name, bool wantsJson) {
  std::vector<llvm::StringRef> names;
  for (const cli::Command& command : cli::commands())
    names.push_back(command.name);
  const llvm::StringRef meant = cli::nearest(name, names);
  return wrongCommand("unknown command: " + name,
                      meant.empty() ? "see tcfix --help" : ("did you mean " + meant + "?").str(),
                      wantsJson);
}

// A file may claim to be larger than this machine: that ends the run, and not by an abort. What was
// staged is removed by the next run.
[[noreturn]] void endWithoutMemory() {
  std::set_new_handler(nullptr); // the message needs some, too
  report::logError({ErrorCode::Unreadable, "there is not enough memory", {}, {}});
  std::_Exit(cli::kNotChanged);
}

// Commands report the files that they are about; of others, such as a dependency that a simulated
// loader looked at, this is the only trace.
int reportTornFiles(int exitCode) {
  if (exitCode == cli::kNotChanged || exitCode == cli::kInterrupted)
    return exitCode;
  const std::vector<std::string> torn = io::tornFiles();
  for (const std::string& path : torn)
    report::logError(toProblem(io::changedWhileRead(), path));
  return torn.empty() ? exitCode : cli::kNotChanged;
}

} // namespace

int main(int argc, char** argv) {
  std::set_new_handler(endWithoutMemory);
  io::watchForTornFiles();
  io::system::ignoreSizeLimits();
  report::setUpLog(report::Verbosity::Normal, false); // until a command knows better
  std::vector<const char*> words(argv + 1, argv + argc);
  if (words.empty())
    return noCommand(false);
  std::string name = words.front();
  if (name == "help" && words.size() == 2) // tcfix help edit
    words = {words[1], "--help"};
  else if (name == "--help" || name == "-h" || name == "help")
    return cli::printOut(cli::generalHelp()) ? cli::kDone : cli::kProblemFound;
  else if (name == "--version")
    return cli::printOut(cli::versionLine()) ? cli::kDone : cli::kProblemFound;
  // What works everywhere also works before the command: tcfix --json inspect FILE.
  auto first =
      std::find_if(words.begin(), words.end(), [](const char* word) { return word[0] != '-'; });
  if (first == words.end())
    return noCommand(cli::asksForJson(words));
  std::rotate(words.begin(), first, first + 1);
  name = words.front();
  const cli::Command* command = cli::findCommand(name);
  if (!command)
    return unknownCommand(name, cli::asksForJson(words));
  int exitCode = cli::kDone;
  std::optional<cli::Invocation> invocation = cli::Invocation::parse(*command, words, exitCode);
  return invocation ? reportTornFiles(command->run(*invocation)) : exitCode;
}
