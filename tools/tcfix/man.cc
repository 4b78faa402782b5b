// The manual page, generated from the table of commands, in man(7) format.

#include "command_line.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::cli {

namespace {

using llvm::StringRef;

// Escapes hyphens (so that they can be copied), backslashes, and control characters at the start of
// a line.
std::string escaped(StringRef text) {
  std::string result;
  for (char c : text) {
    bool isLineStart = result.empty() || result.back() == '\n';
    if (isLineStart && (c == '.' || c == '\''))
      result += "\\&";
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return result;
}

std::string bold(StringRef text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(StringRef text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::string entry(const std::string& term, StringRef text) {
  return ".TP\n" + term + "\n" + escaped(text) + "\n";
}

std::string optionEntries(llvm::ArrayRef<Option> options) {
  std::string text;
  for (const Option& option : options) {
    std::string term = bold(("--" + option.name()).str());
    if (!option.shortName().empty())
      term = bold(("-" + option.shortName()).str()) + ", " + term;
    if (!option.isFlag())
      term += " " + italic(option.value);
    text += entry(term, option.help);
  }
  return text;
}

std::string commandSection(const Command& command) {
  std::string text = ".SS " + escaped(("tcfix " + command.name).str()) + "\n" +
                     bold(("tcfix " + command.name).str()) + " [" + italic("OPTION") + "...]";
  if (!command.operands.empty())
    text += " " + italic(command.operands);
  text += "\n.PP\n" + escaped(command.description);
  for (const OptionGroup& group : command.options)
    text += optionEntries(group.options);
  text += ".PP\nExamples:\n.PP\n.nf\n.RS 2\n";
  for (StringRef line : llvm::split(command.examples.rtrim('\n'), '\n'))
    text += escaped(line.drop_front(2)) + "\n";
  return text + ".RE\n.fi\n";
}

struct Term {
  StringRef name;
  StringRef meaning;
};

constexpr Term kExitCodes[] = {
    {"0", "Done, or nothing to do."},
    {"1", "A problem was found: nothing loads (doctor), a signature is invalid (verify), something "
          "would change (apply --check)."},
    {"2", "Invalid usage, or target not found."},
    {"3", "A file could not be changed; it is as before."},
    {"4", "apply: no FFmpeg major loads afterwards, or a required one does not."},
    {"130", "Interrupted."},
};

constexpr Term kVariables[] = {
    {"VIRTUAL_ENV, CONDA_PREFIX", "The default environment."},
    {"TCFIX_FFMPEG", "Preferred FFmpeg directories, separated as in PATH."},
    {"TCFIX_DISABLE", "If 1, the hook does nothing."},
    {"NO_COLOR", "If set, disables color, unless --color is given."},
};

std::string manualPage() {
  std::string text = ".TH TCFIX 1 \"\" \"tcfix " TCFIX_VERSION "\" \"User Commands\"\n"
                     ".SH NAME\ntcfix \\- repair the native libraries of Python packages\n"
                     ".SH SYNOPSIS\n" +
                     bold("tcfix") + " " + italic("COMMAND") + " [" + italic("OPTION") + "...] [" +
                     italic("ARGUMENT") + "...]\n" +
                     ".SH DESCRIPTION\n"
                     "tcfix edits the native libraries of Python packages so that they load:\n"
                     "their search paths, dependencies, identity and signature. It supports\n"
                     "macOS, Linux and Windows libraries, on any of these platforms.\n"
                     "Files are replaced, never modified in place.\n"
                     ".SH COMMANDS\n";
  for (const Command& command : commands())
    text += commandSection(command);
  text += ".SH COMMON OPTIONS\n" + optionEntries(commonOptions().options);
  text += ".SH EXIT STATUS\n";
  for (const Term& code : kExitCodes)
    text += entry(code.name.str(), code.meaning);
  text += ".SH ENVIRONMENT\n";
  for (const Term& variable : kVariables)
    text += entry(bold(variable.name), variable.meaning);
  return text;
}

int runMan(Invocation&) {
  return printOut(manualPage()) ? kDone : kProblemFound;
}

} // namespace

Command manCommand() {
  return {"man",
          "print the manual page",
          "Prints the manual page, tcfix(1).\n",
          "",
          R"(  tcfix man | man -l -
  tcfix man > ~/.local/share/man/man1/tcfix.1
)",
          {},
          runMan};
}

} // namespace tcfix::cli
