#include "doctor/words.h"

#include "advice/advice.h"

namespace tcfix::doctor {

namespace {

/// In the order of the kinds.
struct Row {
  const char* code;
  Severity severity; ///< in an environment; always an error in a text
  WordsFunction* words;
};
constexpr Row kTable[] = {
#define FINDING(kind, code, severity, words) {code, Severity::severity, words},
#include "doctor/findings.def"
};

} // namespace

Finding wordFinding(const Defect& defect, const FindingContext& context) {
  const Row& row = kTable[static_cast<size_t>(defect.kind)];
  Words words = row.words(defect, context);
  Severity severity = defect.isFromText() ? Severity::Error : row.severity;
  if (!defect.isCause)
    severity = severity == Severity::Error ? Severity::Warning : Severity::Info;
  return {row.code,    severity, std::move(words.message), defect.path, std::move(words.evidence),
          words.action};
}

} // namespace tcfix::doctor
