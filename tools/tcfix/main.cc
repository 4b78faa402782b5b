// tcfix: finds the command and hands over to it.

#include "command_line.h"

#include <llvm/Config/llvm-config.h>

#include <cstring>

namespace {

using namespace tcfix;

struct Command {
  const char* name;
  int (*run)(int argc, const char* const* argv);
  const char* summary;
};

constexpr Command kCommands[] = {
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

int wrongCommand(const std::string& message) {
  report::logError({ErrorCode::Usage, message, {}, "see tcfix --help"});
  return cli::kWrongUsage;
}

} // namespace

int main(int argc, char** argv) {
  report::setUpLog(report::Verbosity::Normal, false); // until a command knows better
  if (argc < 2)
    return wrongCommand("which command? such as: tcfix inspect FILE");
  std::string name = argv[1];
  if (name == "--help" || name == "-h" || name == "help")
    return cli::printOut(help()) ? cli::kDone : cli::kNotChanged;
  if (name == "--version")
    return cli::printOut("tcfix " TCFIX_VERSION " (LLVM " LLVM_VERSION_STRING ")\n")
               ? cli::kDone
               : cli::kNotChanged;
  for (const Command& command : kCommands)
    if (name == command.name)
      return command.run(argc - 1, argv + 1);
  return wrongCommand("there is no command " + report::printable(name));
}
