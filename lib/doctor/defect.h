// Defects: what the rules find in an environment and what a traceback reports, in one type. They
// contain only facts; the functions of words.h turn them into sentences.
#pragma once

#include "resolve/session.h"

namespace tcfix::doctor {

struct Defect {
  /// findings.def contains the meaning of the fields for each kind.
  enum class Kind {
#define FINDING(kind, code, severity, words) kind,
#include "doctor/findings.def"
  };
  Kind kind = Kind::CauseNotTold;
  std::string path = {};
  std::string name = {};
  std::string actual = {};
  std::string provider = {};
  std::string subject = {}; ///< what it is about, if not the file at `path`
  std::vector<std::string> items = {};
  std::vector<std::string> alternatives = {};
  std::vector<int> majors = {};
  std::vector<resolve::Attempt> tried = {};
  std::string sentence = {};             ///< from the simulated loader or a reader of files
  std::optional<std::string> quote = {}; ///< of a text: the words that prove it
  bool isCause = true;                   ///< false: it loads anyway, or fails for another reason
  bool isRepairable = false;             ///< `tcfix apply` helps
  bool isSearchable = false;             ///< `tcfix apply --search` would help
  bool isOpenedByName = false;           ///< of a text: a program opens the dependency itself

  bool isFromText() const { return quote.has_value(); }
};

using Defects = std::vector<Defect>;

/// The kind of a missing dependency: libpython, a part of CUDA, or any other.
Defect::Kind kindOfDependency(llvm::StringRef name);

/// The kind of library that lacks these symbol versions.
Defect::Kind kindOfVersions(llvm::ArrayRef<std::string> versions);

/// A problem that the simulated loader reports.
Defect defectOf(const resolve::LoadProblem& problem);

} // namespace tcfix::doctor
