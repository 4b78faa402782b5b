#include "command.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::cli {

namespace {

bool isPlaceholder(llvm::StringRef word) {
  return llvm::any_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

} // namespace

Syntax readSyntax(llvm::StringRef text) {
  Syntax syntax;
  for (llvm::StringRef word : llvm::split(text, '|')) {
    if (!isPlaceholder(word))
      syntax.words.push_back(word);
    else if (word == "FILE" || word == "TARGET")
      syntax.takesFiles = true;
    else if (word == "DIR")
      syntax.takesFolders = true;
    else
      syntax.takesText = true;
    if (word == "NUMBER")
      syntax.shape = Syntax::Shape::Number;
    else if (word == "VERSION")
      syntax.shape = Syntax::Shape::Version;
  }
  return syntax;
}

bool Syntax::accepts(llvm::StringRef text) const {
  if (isClosed() || llvm::is_contained(words, text))
    return llvm::is_contained(words, text);
  unsigned number = 0;
  switch (shape) {
  case Shape::Any:
    break;
  case Shape::Number:
    return !text.getAsInteger(10, number) && number != 0;
  case Shape::Version:
    return llvm::all_of(llvm::split(text, '.'), [](llvm::StringRef part) {
      unsigned any = 0;
      return !part.getAsInteger(10, any);
    });
  }
  return true;
}

std::string Syntax::description() const {
  if (shape != Shape::Any)
    return shape == Shape::Number ? "a number" : "a version, such as 14.4";
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i].str();
  return text;
}

Operands readOperands(llvm::StringRef text) {
  Operands operands;
  for (llvm::StringRef word : llvm::split(text, ' ')) {
    if (word.empty())
      continue;
    bool isOptional = word.consume_front("[") && word.consume_back("]");
    operands.least += isOptional ? 0 : 1;
    operands.isRepeated = word.consume_back("...");
    operands.each.push_back(readSyntax(word));
  }
  return operands;
}

OptionGroup commonOptions() {
  static constexpr Option kOptions[] = {
      {"json", "print one JSON document on standard output"},
      {"q,quiet", "print only errors"},
      {"v,verbose", "print more"},
      {"color", "when to use color", "auto|always|never"},
      {"version", "print the version"},
      {"h,help", "print this help"},
  };
  return {"Common", kOptions};
}

std::vector<OptionGroup> allOptions(const Command& command) {
  std::vector<OptionGroup> groups = command.options;
  groups.push_back(commonOptions());
  return groups;
}

llvm::ArrayRef<Command> commands() {
  static const Command kCommands[] = {
      applyCommand(), doctorCommand(), listCommand(),        inspectCommand(),
      editCommand(),  signCommand(),   verifyCommand(),      undoCommand(),
      wheelCommand(), hookCommand(),   completionsCommand(), manCommand(),
  };
  return kCommands;
}

const Command* findCommand(llvm::StringRef name) {
  for (const Command& command : commands())
    if (command.name == name)
      return &command;
  return nullptr;
}

llvm::StringRef nearest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates) {
  // At most one wrong character in three; a prefix of a word also matches.
  unsigned best = std::max<unsigned>(1, static_cast<unsigned>(word.size() / 3)) + 1;
  llvm::StringRef found;
  for (llvm::StringRef each : candidates) {
    const bool isBeginning = word.size() >= 3 && each.starts_with(word);
    const unsigned distance = isBeginning ? 1 : word.edit_distance(each, true, best);
    if (distance < best && distance < each.size()) {
      best = distance;
      found = each;
    }
  }
  return found;
}

std::string generalHelp() {
  std::string text = "tcfix repairs the native libraries of Python packages so that they load.\n\n"
                     "Usage: tcfix COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:\n";
  for (const Command& command : commands()) {
    std::string name = command.name.str();
    name.resize(13, ' ');
    text += "  " + name + command.summary.str() + "\n";
  }
  return text + "\nRun tcfix COMMAND --help for the options and examples of a command.\n";
}

} // namespace tcfix::cli
