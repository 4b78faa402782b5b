#include "doctor/words.h"

#include "advice/advice.h"
#include "image/names.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

std::string subjectOf(const Defect& defect) {
  return !defect.subject.empty() ? defect.subject
         : defect.path.empty()   ? "a library"
                                 : baseName(defect.path).str();
}

Evidence placesTried(const Defect& defect) {
  std::vector<std::string> places;
  for (const resolve::Attempt& attempt : defect.tried)
    places.push_back(attempt.place + ": " + attempt.outcome);
  return {"tried", places};
}

Words withQuote(const Defect& defect, std::string message, std::string action) {
  Words words{std::move(message), {}, std::move(action)};
  if (defect.isFromText())
    words.evidence.push_back({"text", *defect.quote});
  return words;
}

Words withReinstall(const Defect& defect, const FindingContext& context) {
  return withQuote(defect, sentenceOf(defect), reinstallCommand(context));
}

Words withCommand(const Defect& defect, const std::string& command) {
  return withQuote(defect, sentenceOf(defect), command);
}

std::string majorsText(llvm::ArrayRef<int> majors) {
  return llvm::join(llvm::map_range(majors, [](int major) { return std::to_string(major); }), ", ");
}

std::string placeOf(const recipe::Machine& machine) {
  return (machine.platform ? nameOf(*machine.platform).str() : "this platform") +
         (machine.arch.empty() ? "" : " " + machine.arch) +
         (machine.python.empty() ? "" : ", Python " + machine.python);
}

} // namespace tcfix::doctor
