#include "completions.h"

#include <llvm/ADT/Twine.h>

namespace tcfix::cli {

using llvm::StringRef;

namespace {

std::string powershellText(StringRef text) {
  return "'" + withEscapes(text, "'", "'") + "'";
}

std::string powershellOptions(llvm::ArrayRef<OptionGroup> groups) {
  std::string text;
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options)
      text += "            , @(" + powershellText(("--" + option.name()).str()) + ", " +
              powershellText(option.help) + ")\n";
  return text;
}

std::string powershellWords(StringRef key, const Syntax& syntax) {
  std::string text;
  for (StringRef word : syntax.words)
    text += (text.empty() ? "" : ", ") + powershellText(word);
  return text.empty() ? "" : "        " + powershellText(key) + " = @(" + text + ")\n";
}

std::string powershellValues(StringRef command, llvm::ArrayRef<Option> options) {
  std::string text;
  for (const Option& option : options)
    if (!option.isFlag())
      text += powershellWords((command + " --" + option.name()).str(), readSyntax(option.value));
  return text;
}

constexpr StringRef kPowershellEnd = R"end(    }
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    # Inside a text, since a cast makes no text of a pipeline that gave nothing.
    $command = "$($before | Where-Object { $_ -notlike '-*' } | Select-Object -First 1)"
    $previous = "$($before | Select-Object -Last 1)"
    $word = $wordToComplete
    $lead = ''
    if ($word -match '^(--[a-z-]+)=(.*)$') {
        $previous = $Matches[1]
        $word = $Matches[2]
        $lead = "$previous="
    }
    $words = $values["$command $previous"]
    if (-not $words) { $words = $values["* $previous"] }
    if (-not $words -and $word -notlike '-*') { $words = $values[$command] }
    $offers = if ($words) { $words | ForEach-Object { , @($_, $_) } }
    elseif (-not $command -or $word -like '-*') { $options[$command] }
    # Where nothing is offered, PowerShell completes file names.
    @($offers) | Where-Object { $_ -and $_[0] -clike "$word*" } | ForEach-Object {
        $text = $lead + $_[0]
        [System.Management.Automation.CompletionResult]::new($text, $_[0], 'ParameterValue', $_[1])
    }
}
)end";

} // namespace

std::string powershellScript() {
  std::string values = powershellValues("*", commonOptions().options), names, options;
  for (const Command& command : commands()) {
    for (const OptionGroup& group : command.options)
      values += powershellValues(command.name, group.options);
    values += powershellWords(command.name, operandSyntax(command));
    names += "            , @(" + powershellText(command.name) + ", " +
             powershellText(command.summary) + ")\n";
    options += "        " + powershellText(command.name) + " = @(\n" +
               powershellOptions(allOptions(command)) + "        )\n";
  }
  return "# PowerShell completion for tcfix:  tcfix completions powershell | Out-String | "
         "Invoke-Expression\n"
         "Register-ArgumentCompleter -Native -CommandName 'tcfix', 'tcfix.exe' -ScriptBlock {\n"
         "    param($wordToComplete, $commandAst, $cursorPosition)\n"
         "    $values = @{\n" +
         values + "    }\n    $options = @{\n        '' = @(\n" + names +
         powershellOptions(commonOptions()) + "        )\n" + options + kPowershellEnd.str();
}

} // namespace tcfix::cli
