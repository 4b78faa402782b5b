// Any arguments are a valid command line or wrong usage.
//
// The input is the number of the command, as its first byte, and the arguments, each ended by a
// zero. No command runs.
#include "fuzz/property.h"

#include "command_line.h"

#include <cstdint>

using namespace tcfix;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  const llvm::ArrayRef<cli::Command> commands = cli::commands();
  const cli::Command& command = commands[data[0] % commands.size()];
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::vector<const char*> words = {command.name.data()};
  for (size_t at = 0; at < text.size(); at += std::char_traits<char>::length(&text[at]) + 1)
    words.push_back(&text[at]);
  int code = -1;
  std::optional<cli::Invocation> invocation = cli::Invocation::parse(command, words, code);
  if (!invocation) {
    fuzz::expect(code == cli::kDone || code == cli::kWrongUsage || code == cli::kProblemFound,
                 "an invalid command line has an exit code");
    return 0;
  }
  fuzz::expect(invocation->operands().size() + invocation->arguments().size() <= text.size(),
               "no argument is read twice");
  fuzz::expect(invocation->jobs() > 0, "the number of jobs is positive");
  (void)invocation->commandFor("doctor", text);
  return 0;
}
