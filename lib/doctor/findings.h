// The table of findings: code, severity, sentence, evidence and command for every kind of defect.
// To add a finding: a kind in defect.h, its row in findings.cc, a rule or phrase that reports it,
// and a section in docs/findings.md.
#pragma once

#include "doctor/defect.h"
#include "doctor/finding.h"
#include "image/platform.h"

namespace tcfix::doctor {

/// What the words and the command depend on, besides the defect itself.
struct FindingContext {
  std::optional<Platform> platform = {}; ///< nothing if unknown
  bool isConda = false;
  std::string package = {};        ///< its name
  std::string torch = {};          ///< its version; empty if there is none, or it is unknown
  bool isTorchWithoutCuda = false; ///< then no library of NVIDIA's helps
  std::string applyCommand = {};   ///< "tcfix apply TARGET", with the options about the target
  bool isInstalled = true;         ///< by an installer, which can bring its files back
  std::string runCommand = {};     ///< "tcfix doctor --run --json TARGET", for bug reports
  std::string versions = {};       ///< of the package, torch and Python, and the system; the same
};

Finding wordFinding(const Defect& defect, const FindingContext& context);

/// What happened, without advice: "core7.so needs libx.so, which was not found".
std::string sentenceOf(const Defect& defect);

} // namespace tcfix::doctor
