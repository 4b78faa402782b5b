// Findings: defects and other information, each with a stable code, evidence and the exact command
// that helps. docs/findings.md has a section for every code.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>
#include <variant>
#include <vector>

namespace tcfix::doctor {

enum class Severity { Error, Warning, Info };
llvm::StringRef nameOf(Severity severity);

/// A fact that proves it: a name, and one or more strings.
struct Evidence {
  std::string name;
  std::variant<std::string, std::vector<std::string>> value;

  llvm::ArrayRef<std::string> values() const {
    if (const auto* one = std::get_if<std::string>(&value))
      return *one;
    return std::get<std::vector<std::string>>(value);
  }
};

struct Finding {
  std::string code; ///< such as "missing-symbols"
  Severity severity = Severity::Error;
  std::string message; ///< one sentence
  std::string path;    ///< the file it is about; may be empty
  std::vector<Evidence> evidence;
  std::string action; ///< the command to run; empty if there is none
};

} // namespace tcfix::doctor
