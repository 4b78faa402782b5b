// tcfix: finds the command and hands over to it.

#include "command_line.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using namespace tcfix;

struct Command {
  const char* name;
  int (*run)(int argc, const char* const* argv);
  const char* summary;
};

constexpr Command kCommands[] = {
    {"list", cli::runList, "what an environment holds: Python, libraries, torch, each FFmpeg"},
    {"inspect", cli::runInspect, "what a library depends on, where it searches, how it is signed"},
    {"edit", cli::runEdit, "change search paths, dependencies and identity; signs again"},
    {"sign", cli::runSign, "sign Mach-O files ad hoc, on any system"},
    {"verify", cli::runVerify, "check signatures of Mach-O files page by page"},
    {"undo", cli::runUndo, "put the original bytes back, verified by hash"},
};

std::string help() {
  std::string text = "tcfix repairs the native libraries of Python packages so that they load.\n\n"
                     "Usage: tcfix COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    std::string name = command.name;
    name.resize(9, ' ');
    text += "  " + name + command.summary + "\n";
  }
  return text + "\ntcfix COMMAND --help explains a command, with examples; tcfix --version says\n"
                "which version this is.\n";
}

int wrongCommand(const std::string& message, bool wantsJson = false) {
  Problem problem{ErrorCode::Usage, message, {}, "see tcfix --help"};
  report::logError(problem);
  if (wantsJson)
    cli::printOut(report::jsonForError({"", false, {problem}, {}}));
  return cli::kWrongUsage;
}

} // namespace

int main(int argc, char** argv) {
  report::setUpLog(report::Verbosity::Normal, false); // until a command knows better
  if (argc < 2)
    return wrongCommand("which command? such as: tcfix inspect FILE");
  std::string name = argv[1];
  if (name == "--help" || name == "-h" || name == "help")
    return cli::printOut(help()) ? cli::kDone : cli::kProblemFound;
  if (name == "--version")
    return cli::printOut(cli::versionLine()) ? cli::kDone : cli::kProblemFound;
  // What works everywhere also works before the command: tcfix --json inspect FILE.
  std::vector<const char*> arguments(argv + 1, argv + argc);
  auto first = std::find_if(arguments.begin(), arguments.end(),
                            [](const char* argument) { return argument[0] != '-'; });
  std::rotate(arguments.begin(), first, first == arguments.end() ? first : first + 1);
  name = arguments.front();
  for (const Command& command : kCommands)
    if (name == command.name)
      return command.run(static_cast<int>(arguments.size()), arguments.data());
  bool wantsJson = std::any_of(
      argv + 1, argv + argc, [](const char* argument) { return !std::strcmp(argument, "--json"); });
  return wrongCommand("there is no command " + name, wantsJson);
}
