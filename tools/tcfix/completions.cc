#include "completions.h"

#include "command_line.h"

namespace tcfix::cli {

Syntax operandSyntax(const Command& command) {
  Syntax all;
  for (const Syntax& one : readOperands(command.operands).each) {
    all.words.insert(all.words.end(), one.words.begin(), one.words.end());
    all.takesFiles |= one.takesFiles;
    all.takesFolders |= one.takesFolders;
    all.takesText |= one.takesText;
  }
  return all;
}

std::string withEscapes(llvm::StringRef text, llvm::StringRef characters, llvm::StringRef escape) {
  std::string result;
  for (char c : text) {
    if (characters.contains(c))
      result += escape;
    result += c;
  }
  return result;
}

namespace {

int runCompletions(Invocation& invocation) {
  const std::string& shell = invocation.operands().front();
  std::string script = shell == "bash"   ? bashScript()
                       : shell == "zsh"  ? zshScript()
                       : shell == "fish" ? fishScript()
                                         : powershellScript();
  return printOut(script) ? kDone : kProblemFound;
}

} // namespace

Command completionsCommand() {
  return {"completions",
          "print a completion script for your shell",
          "Prints a script that completes commands, options, their values and file names.\n",
          "bash|zsh|fish|powershell",
          R"(  source <(tcfix completions bash)
  tcfix completions zsh > ~/.zfunc/_tcfix
  tcfix completions fish > ~/.config/fish/completions/tcfix.fish
  tcfix completions powershell | Out-String | Invoke-Expression
)",
          {},
          runCompletions};
}

} // namespace tcfix::cli
