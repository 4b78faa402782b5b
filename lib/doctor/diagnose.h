// The doctor: looks at a target, as it is, and reports why it does not load and what to do. Nothing
// is run and nothing written.
#pragma once

#include "doctor/diagnosis.h"
#include "survey/survey.h"

namespace tcfix::doctor {

struct DoctorOptions {
  survey::SurveyOptions survey;
  std::vector<int> required; ///< majors that must load
};

/// The verdict of diagnose() alone, without its reasons: much faster, for programs that ask before
/// they import.
llvm::Expected<bool> isUsable(const std::string& target, const DoctorOptions& options);

llvm::Expected<Diagnosis> diagnose(const std::string& target, const DoctorOptions& options);

} // namespace tcfix::doctor
