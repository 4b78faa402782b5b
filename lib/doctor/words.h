// The words of a finding, which the table in findings.cc fills in; and those of what only texts
// report, which are in text_words.cc.
#pragma once

#include "doctor/findings.h"

namespace tcfix::doctor {

struct Words {
  std::string message;
  std::vector<Evidence> evidence = {};
  std::string action = {};
};

/// Words whose evidence is the quote; what the libraries themselves show needs none.
Words withQuote(const Defect& defect, std::string message, std::string action);

/// "8, 7, 6".
std::string majorsText(llvm::ArrayRef<int> majors);

/// "Linux x86_64, Python 3.12", as far as it is known.
std::string placeOf(const recipe::Machine& machine);

Words causeNotTold(const Defect& defect, const FindingContext& context);
/// Missing, and so is torch's version in the text.
Words missingWithoutTorch(const Defect& defect, FindingContext context);
Words packageUnavailable(const Defect& defect, const FindingContext& context);
Words noWheel(const Defect& defect, const FindingContext& context);
Words pluginBroken(const Defect& defect, const FindingContext& context);
Words operatorsMissing(const Defect& defect, const FindingContext& context);
Words crashed(const Defect& defect, const FindingContext& context);

} // namespace tcfix::doctor
