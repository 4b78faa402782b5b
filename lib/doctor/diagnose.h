// The doctor: looks at a target, as it is, and reports why it does not load and what to do. Nothing
// is written, and nothing run unless that is asked for.
#pragma once

#include "doctor/diagnosis.h"
#include "survey/survey.h"

namespace tcfix::doctor {

struct DoctorOptions {
  survey::SurveyOptions survey;
  std::vector<int> required; ///< majors that must load
  bool isTried = false;      ///< --run: the environment's own python has the last word
  bool keepsTraces = true;   ///< with --all: also how each dependency was found
};

/// How far a diagnosis of many packages is. Any thread may call it.
using Advance = llvm::function_ref<void(size_t done, size_t total)>;

/// The verdict of diagnose() alone, without its reasons: much faster, for programs that ask before
/// they import.
llvm::Expected<bool> isUsable(const std::string& target, const DoctorOptions& options);

llvm::Expected<Diagnosis> diagnose(
    const std::string& target, const DoctorOptions& options,
    Advance advance = [](size_t, size_t) {});

} // namespace tcfix::doctor
