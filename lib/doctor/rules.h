// The doctor's rules: each looks at the case and adds what it finds. One file for each concern.
#pragma once

#include "doctor/finding.h"
#include "plan/plan.h"
#include "plan/survey.h"

namespace tcfix::doctor {

/// Everything that is known of one package.
struct Case {
  std::string target; ///< as it was given
  const env::Target& found;
  const plan::PackageFacts& facts;
  const plan::PackagePlan& planned; ///< what apply would do
  resolve::LibraryStore& store;
  std::vector<GroupReport> groups;
  bool loads = false;          ///< something of it does, or nothing shows that it does not
  bool wouldLoadAfter = false; ///< after tcfix apply

  /// "tcfix apply TARGET", with what was said of the target.
  std::string applyCommand;
};

using Findings = std::vector<Finding>;

void findLoadProblems(const Case& facts, Findings& findings);   ///< dependencies, symbols, versions
void findFfmpegProblems(const Case& facts, Findings& findings); ///< absent, static, unsupported
void findVersionMismatch(const Case& facts, Findings& findings); ///< torch against torchcodec
void findPythonProblems(const Case& facts, Findings& findings);  ///< ABI tags, architecture
void findMacProblems(const Case& facts, Findings& findings);     ///< signatures, quarantine, min OS
void findPathProblems(const Case& facts, Findings& findings);    ///< entries that lead nowhere, …
void findSurroundings(const Case& facts, Findings& findings);    ///< shadowing, RECORD, two FFmpegs

/// The torchcodec that goes with this torch, such as "0.9.*"; nothing if the table does not say.
std::optional<std::string> torchcodecFor(llvm::StringRef torchVersion);

} // namespace tcfix::doctor
