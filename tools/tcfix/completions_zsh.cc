#include "completions.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::cli {

using llvm::StringRef;

namespace {

// For single quotes; brackets and colons are special inside a specification.
std::string zshText(StringRef text) {
  std::string escaped = withEscapes(text, "[]:\\", "\\");
  std::string result;
  for (char c : escaped)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return result;
}

std::string zshAction(const Syntax& syntax) {
  std::string paths = syntax.takesFiles ? "_files" : syntax.takesFolders ? "_path_files -/" : "";
  if (syntax.words.empty())
    return paths.empty() ? " " : paths;
  if (paths.empty())
    return "(" + llvm::join(syntax.words, " ") + ")";
  return "{compadd - " + llvm::join(syntax.words, " ") + "; " + paths + "}";
}

std::string zshOptions(llvm::ArrayRef<Option> options) {
  std::string text;
  for (const Option& option : options) {
    std::string name = option.name().str(), help = "[" + zshText(option.help) + "]";
    std::string brief = option.shortName().str();
    if (!option.isFlag()) {
      help += ":" + zshText(option.value) + ":" + zshAction(readSyntax(option.value));
      text += brief.empty() ? "'*--" + name + "=" : "'*'{-" + brief + "+,--" + name + "=}'";
    } else {
      text += brief.empty() ? "'--" + name
                            : "'(-" + brief + " --" + name + ")'{-" + brief + ",--" + name + "}'";
    }
    text += help + "' \\\n            ";
  }
  return text;
}

std::string zshOperands(const Command& command) {
  Operands operands = readOperands(command.operands);
  std::string text;
  for (size_t i = 0; i < operands.each.size(); ++i) {
    bool isLast = i + 1 == operands.each.size();
    std::string place = isLast && operands.isRepeated ? "*" : std::to_string(i + 1);
    std::string optional = i >= operands.least && place != "*" ? ":" : "";
    text += "'" + place + ":" + optional + zshText(command.operands) + ":" +
            zshAction(operands.each[i]) + "' ";
  }
  return text;
}

} // namespace

std::string zshScript() {
  std::string names, cases;
  for (const Command& command : commands()) {
    names += ("        '" + command.name + ":" + zshText(command.summary) + "'\n").str();
    cases +=
        ("        " + command.name + ")\n            _arguments -s $common \\\n            ").str();
    for (const OptionGroup& group : command.options)
      cases += zshOptions(group.options);
    cases += zshOperands(command) + "&& result=0\n            ;;\n";
  }
  return R"(#compdef tcfix
# zsh completion for tcfix:  source <(tcfix completions zsh)  or save it as _tcfix in your $fpath
_tcfix() {
    local curcontext=$curcontext state result=1
    local -a line common names
    common=(
            )" +
         StringRef(zshOptions(commonOptions().options)).rtrim(" \\\n").str() +
         "\n    )\n    names=(\n" + names + R"(    )
    _arguments -C -s $common '1: :->command' '*:: :->arguments' && result=0
    case $state in
    command) _describe -t commands command names && result=0 ;;
    arguments)
        case $words[1] in
)" + cases +
         R"(        esac
        ;;
    esac
    return result
}
if [[ $funcstack[1] == _tcfix ]]; then
    _tcfix "$@"
else
    compdef _tcfix tcfix
fi
)";
}

} // namespace tcfix::cli
