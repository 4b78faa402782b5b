// The command-line interface of a command, as a table. Parser, help, completions and manual page
// are all generated from it, so they cannot differ.
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
  llvm::StringRef value = {}; ///< its argument, see Syntax; empty: it is a flag

  bool isFlag() const { return value.empty(); }
  llvm::StringRef name() const {
    return names.size() > 1 && names[1] == ',' ? names.drop_front(2) : names;
  }
  llvm::StringRef shortName() const {
    return names.size() > 1 && names[1] == ',' ? names.take_front() : "";
  }
};

struct OptionGroup {
  llvm::StringRef title; ///< in the help; empty for the command's own options
  llvm::ArrayRef<Option> options;
};

struct Command {
  llvm::StringRef name;
  llvm::StringRef summary;     ///< one line
  llvm::StringRef description; ///< complete lines, for the command's own help
  llvm::StringRef operands;    ///< such as "FILE...", "[TARGET]" or "bash|zsh", see Syntax
  llvm::StringRef examples;    ///< complete lines, indented by two
  std::vector<OptionGroup> options;
  int (*run)(Invocation& invocation);
};

/// The values that an option or an operand accepts: alternatives, separated by "|". Lower-case
/// words are literal, upper-case words are placeholders: FILE, DIR, TARGET (an environment, a
/// directory or a file), NUMBER (at least 1), VERSION (such as 14.4), or any other string.
struct Syntax {
  enum class Shape { Any, Number, Version };

  std::vector<llvm::StringRef> words;
  bool takesFiles = false;
  bool takesFolders = false;
  bool takesText = false;
  Shape shape = Shape::Any; ///< of the text

  /// True if only the literal words are accepted.
  bool isClosed() const { return !takesFiles && !takesFolders && !takesText; }
  bool accepts(llvm::StringRef text) const;
  /// The accepted values, for messages: "auto, always or never", "a number".
  std::string description() const;
};

Syntax readSyntax(llvm::StringRef text);

/// The operands of a command: "[X]" is optional, "X..." can be repeated.
struct Operands {
  std::vector<Syntax> each;
  size_t least = 0;
  bool isRepeated = false; ///< the last one
};

Operands readOperands(llvm::StringRef text);

/// A command's own options, then the common ones.
std::vector<OptionGroup> allOptions(const Command& command);
OptionGroup commonOptions();

/// All commands, in the order of the help.
llvm::ArrayRef<Command> commands();

const Command* findCommand(llvm::StringRef name);

/// The candidate that is closest to a misspelled or shortened word; empty if none is close.
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
