// Findings: what is wrong, or worth knowing, each with a stable code, evidence and the exact
// command that helps. docs/findings.md has a page on every code.
#pragma once

#include "survey/simulation.h"

#include <variant>

namespace tcfix::doctor {

enum class Severity { Error, Warning, Info };
llvm::StringRef nameOf(Severity severity);

/// A fact that shows it: a name, and a text or several.
struct Evidence {
  std::string name;
  std::variant<std::string, std::vector<std::string>> value;
};

struct Finding {
  std::string code; ///< such as "missing-symbols"
  Severity severity = Severity::Error;
  std::string message; ///< one sentence
  std::string path;    ///< the file it is about; may be empty
  std::vector<Evidence> evidence;
  std::string action; ///< the command to type; empty where there is none
};

struct LibraryReport {
  std::string path;          ///< host path
  resolve::LoadResult loads; ///< with torch imported
};

/// The libraries of one FFmpeg major, or, with major 0, all of a package without majors.
struct GroupReport {
  int major = 0;
  resolve::Verdict loads = resolve::Verdict::Unknown;
  resolve::Verdict loadsBare = resolve::Verdict::Unknown;
  std::vector<LibraryReport> libraries;
  std::string ffmpegFolder; ///< host path of the FFmpeg that it uses; empty if it finds none

  /// Why it does not load; null if it does.
  const resolve::LoadProblem* firstCause() const;
};

} // namespace tcfix::doctor
