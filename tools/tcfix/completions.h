// Completion scripts, one for each shell, generated from the table of commands. They do not run
// tcfix or any other program.
#pragma once

#include "command.h"

namespace tcfix::cli {

std::string bashScript();
std::string fishScript();
std::string powershellScript();
std::string zshScript();

/// The alternatives of all operands of a command, for shells that do not count operands.
Syntax operandSyntax(const Command& command);

/// The text with `escape` before each of these characters.
std::string withEscapes(llvm::StringRef text, llvm::StringRef characters, llvm::StringRef escape);

} // namespace tcfix::cli
