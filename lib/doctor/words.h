// The sentences of each kind of finding: the functions of findings.def, in one file per concern:
// ffmpeg_words.cc, torch_words.cc, library_words.cc, package_words.cc, on_demand.cc, and
// text_words.cc for kinds that only tracebacks report.
#pragma once

#include "doctor/findings.h"

namespace tcfix::doctor {

struct Words {
  std::string message;
  std::vector<Evidence> evidence = {};
  std::string action = {};
};
using WordsFunction = Words(const Defect& defect, const FindingContext& context);

#define FINDING(kind, code, severity, words) WordsFunction words;
#include "doctor/findings.def"

/// For a missing package, if the text does not contain torch's version.
Words missingWithoutTorch(const Defect& defect, FindingContext context);

// Shared by several kinds

/// The library that a defect is about, for a sentence.
std::string subjectOf(const Defect& defect);
Evidence placesTried(const Defect& defect);

/// Words with the quote as evidence; without a quote there is no evidence.
Words withQuote(const Defect& defect, std::string message, std::string action);
/// The defect's own sentence, and a command.
WordsFunction withReinstall;
Words withCommand(const Defect& defect, const std::string& command);

/// "8, 7, 6".
std::string majorsText(llvm::ArrayRef<int> majors);

/// Which release goes with which older torch, the newest first: "0.10 for torch 2.10".
std::string releasesByTorch(const recipe::Recipe& recipe);

/// "Linux x86_64, Python 3.12", as far as it is known.
std::string placeOf(const recipe::Machine& machine);

} // namespace tcfix::doctor
