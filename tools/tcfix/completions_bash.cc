#include "completions.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::cli {

using llvm::StringRef;

namespace {

std::string optionWords(llvm::ArrayRef<OptionGroup> groups) {
  std::string words;
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options) {
      if (!option.shortName().empty())
        words += ("-" + option.shortName() + " ").str();
      words += ("--" + option.name() + " ").str();
    }
  return words;
}

constexpr StringRef kBashStart = R"(# bash completion for tcfix:  source <(tcfix completions bash)
_tcfix() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $current == "=" ]]; then # bash splits --option=value
        current=
    elif [[ $previous == "=" ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    local command= i words= paths=none
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then
            command=${COMP_WORDS[i]}
            break
        fi
    done
    case "$command $previous" in
)";

constexpr StringRef kBashEnd = R"(        esac
        ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    case $paths in # bash 3 has no compopt and then offers files everywhere
    none) compopt +o default +o bashdefault 2>/dev/null ;;
    directories) compopt +o default +o bashdefault -o plusdirs 2>/dev/null ;;
    esac
}
complete -o bashdefault -o default -F _tcfix tcfix
)";

std::string bashOffer(const Syntax& syntax) {
  std::string offer;
  if (!syntax.words.empty())
    offer += "words='" + llvm::join(syntax.words, " ") + "' ";
  if (syntax.takesFiles)
    offer += "paths=files ";
  else if (syntax.takesFolders)
    offer += "paths=directories ";
  return offer + ";;\n";
}

std::string bashValues(StringRef command, llvm::ArrayRef<Option> options) {
  std::string cases;
  for (const Option& option : options) {
    if (option.isFlag())
      continue;
    std::string pattern = (command + "' --" + option.name() + "'").str();
    if (!option.shortName().empty())
      pattern += (" | " + command + "' -" + option.shortName() + "'").str();
    cases += "    " + pattern + ") " + bashOffer(readSyntax(option.value));
  }
  return cases;
}

} // namespace

std::string bashScript() {
  std::string values = bashValues("*", commonOptions().options);
  std::string others, names;
  for (const Command& command : commands()) {
    for (const OptionGroup& group : command.options)
      values += bashValues(command.name, group.options);
    others +=
        ("        '" + command.name + " -'*) words='" + optionWords(allOptions(command)) + "' ;;\n")
            .str();
    others += ("        '" + command.name + " '*) " + bashOffer(operandSyntax(command))).str();
    names += (command.name + " ").str();
  }
  return (kBashStart + values +
          "    *)\n        case \"$command $current\" in\n        ' '*) words='" + names +
          optionWords(commonOptions()) + "' ;;\n" + others + kBashEnd)
      .str();
}

} // namespace tcfix::cli
