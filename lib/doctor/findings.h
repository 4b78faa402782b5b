// Defects as findings: code, severity, sentence, evidence and command. To add a finding: its row in
// findings.def, its words in the _words.cc of its concern, a rule or phrase that reports it, and a
// section in docs/findings.md.
#pragma once

#include "advice/advice.h"
#include "doctor/defect.h"
#include "doctor/finding.h"

namespace tcfix::doctor {

/// What the sentence and the command depend on, besides the defect itself.
struct FindingContext : advice::Context {
  std::string runCommand = {}; ///< "tcfix doctor --run --json TARGET", for bug reports
  std::string versions = {};   ///< of the package, torch, Python and the system; for bug reports
};

Finding wordFinding(const Defect& defect, const FindingContext& context);

/// What happened, without advice: "core7.so needs libx.so, which was not found".
std::string sentenceOf(const Defect& defect);

} // namespace tcfix::doctor
