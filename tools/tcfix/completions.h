// Completion scripts, one for each shell, made from the table of commands. They are plain text:
// completing a word runs no program but the shell.
#pragma once

#include "command.h"

namespace tcfix::cli {

std::string bashScript();
std::string fishScript();
std::string powershellScript();
std::string zshScript();

/// All alternatives of a command's operands at once, for shells that do not count operands.
Syntax operandSyntax(const Command& command);

/// The text with `mark` before each of these characters.
std::string withMarks(llvm::StringRef text, llvm::StringRef characters, llvm::StringRef mark);

} // namespace tcfix::cli
