// tcfix: finds the command and runs it.

#include "command_line.h"
#include "io/console.h"
#include "io/memory.h"

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

// A corrupt file may require more memory than there is: exit with an error instead of aborting. The
// next run removes staged files.
[[noreturn]] void exitOutOfMemory() {
  std::set_new_handler(nullptr); // logging allocates, too
  report::logError({ErrorCode::Unreadable, "out of memory", {}, {}});
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
  std::set_new_handler(exitOutOfMemory);
  io::takeMemoryInLargeSteps();
  io::watchForTornFiles();
  io::system::ignoreSizeLimits();
  report::setUpLog(report::Verbosity::Normal, false); // until the options are parsed
  io::prepareConsole();
  const std::vector<std::string> arguments = io::arguments(argc, argv);
  std::vector<const char*> words;
  for (const std::string& argument : llvm::ArrayRef(arguments).drop_front(!arguments.empty()))
    words.push_back(argument.c_str());
  if (words.empty())
    return noCommand(false);
  std::string name = words.front();
  if (name == "help" && words.size() == 2) // tcfix help edit
    words = {words[1], "--help"};
  else if (name == "--help" || name == "-h" || name == "help")
    return cli::printOut(cli::generalHelp()) ? cli::kDone : cli::kProblemFound;
  else if (name == "--version")
    return cli::printOut(cli::versionLine()) ? cli::kDone : cli::kProblemFound;
  // Common options may also precede the command: tcfix --json inspect FILE.
  auto first =
      std::find_if(words.begin(), words.end(), [](const char* word) { return word[0] != '-'; });
  if (first == words.end())
    return noCommand(cli::requestsJson(words));
  std::rotate(words.begin(), first, first + 1);
  name = words.front();
  const cli::Command* command = cli::findCommand(name);
  if (!command)
    return unknownCommand(name, cli::requestsJson(words));
  int exitCode = cli::kDone;
  std::optional<cli::Invocation> invocation = cli::Invocation::parse(*command, words, exitCode);
  return invocation ? reportTornFiles(command->run(*invocation)) : exitCode;
}
