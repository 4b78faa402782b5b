#include "completions.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::cli {

using llvm::StringRef;

namespace {

std::string fishText(StringRef text) {
  return "'" + withEscapes(text, "'\\", "\\") + "'";
}

std::string fishOffer(const Syntax& syntax) {
  std::string offers = llvm::join(syntax.words, " ");
  if (syntax.takesFolders && !syntax.takesFiles)
    offers += " (__fish_complete_directories)";
  return (syntax.takesFiles ? " -F" : " -f") + (offers.empty() ? "" : " -a " + fishText(offers));
}

std::string fishOptions(StringRef condition, llvm::ArrayRef<Option> options) {
  std::string text;
  for (const Option& option : options) {
    text += ("complete -c tcfix" + condition + " -l " + option.name()).str();
    if (!option.shortName().empty())
      text += (" -s " + option.shortName()).str();
    if (!option.isFlag())
      text += " -r" + fishOffer(readSyntax(option.value));
    text += " -d " + fishText(option.help) + "\n";
  }
  return text;
}

} // namespace

std::string fishScript() {
  std::string text = "# fish completion for tcfix:  tcfix completions fish | source\n"
                     "complete -c tcfix -f\n" +
                     fishOptions("", commonOptions().options);
  for (const Command& command : commands())
    text += ("complete -c tcfix -n __fish_use_subcommand -a " + command.name + " -d " +
             fishText(command.summary) + "\n")
                .str();
  for (const Command& command : commands()) {
    std::string condition = (" -n '__fish_seen_subcommand_from " + command.name + "'").str();
    for (const OptionGroup& group : command.options)
      text += fishOptions(condition, group.options);
    if (!command.operands.empty())
      text += "complete -c tcfix" + condition + fishOffer(operandSyntax(command)) + "\n";
  }
  return text;
}

} // namespace tcfix::cli
