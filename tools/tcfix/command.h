// What a command looks like from outside, as a table. The parser, the help, the completions and the
// manual page are all made from it, so that they cannot differ.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace tcfix::cli {

class Invocation;

struct Option {
  llvm::StringRef names; ///< such as "n,dry-run"
  llvm::StringRef help;
  llvm::StringRef value = {}; ///< what it takes, see Syntax; empty: it is a flag

  bool isFlag() const { return value.empty(); }
  llvm::StringRef name() const {
    return names.size() > 1 && names[1] == ',' ? names.drop_front(2) : names;
  }
  llvm::StringRef shortName() const {
    return names.size() > 1 && names[1] == ',' ? names.take_front() : "";
  }
};

struct OptionGroup {
  llvm::StringRef title; ///< in the help; empty for what is the command's own
  llvm::ArrayRef<Option> options;
};

struct Command {
  llvm::StringRef name;
  llvm::StringRef summary;     ///< one line
  llvm::StringRef description; ///< whole lines, for the command's own help
  llvm::StringRef operands;    ///< such as "FILE...", "[TARGET]" or "bash|zsh", see Syntax
  llvm::StringRef examples;    ///< whole lines, indented by two
  std::vector<OptionGroup> options;
  int (*run)(Invocation& invocation);
};

/// What an option or an operand takes: alternatives, separated by "|". Small letters stand for
/// themselves, capitals for something else: FILE, DIR, TARGET (an environment, a folder or a file),
/// NUMBER (at least 1), VERSION (such as 14.4), or any other text.
struct Syntax {
  enum class Shape { Any, Number, Version };

  std::vector<llvm::StringRef> words;
  bool takesFiles = false;
  bool takesFolders = false;
  bool takesText = false;
  Shape shape = Shape::Any; ///< of the text

  /// True when nothing but the words will do.
  bool isClosed() const { return !takesFiles && !takesFolders && !takesText; }
  bool accepts(llvm::StringRef text) const;
  /// What it takes, in a sentence: "auto, always or never", "a number".
  std::string sentence() const;
};

Syntax readSyntax(llvm::StringRef text);

/// What a command's operands are, one by one: "[X]" may be left out, "X..." be repeated.
struct Operands {
  std::vector<Syntax> each;
  size_t least = 0;
  bool isRepeated = false; ///< the last one
};

Operands readOperands(llvm::StringRef text);

/// A command's own options, then those that work everywhere.
std::vector<OptionGroup> allOptions(const Command& command);
OptionGroup commonOptions();

/// All commands, in the order of the help.
llvm::ArrayRef<Command> commands();

const Command* findCommand(llvm::StringRef name);

/// The candidate that a misspelled or shortened word probably means; empty if none is near.
llvm::StringRef nearest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates);

/// The help of the whole program.
std::string generalHelp();

Command applyCommand();
Command doctorCommand();
Command listCommand();
Command inspectCommand();
Command editCommand();
Command signCommand();
Command verifyCommand();
Command undoCommand();
Command wheelCommand();
Command hookCommand();
Command completionsCommand();
Command manCommand();

} // namespace tcfix::cli
