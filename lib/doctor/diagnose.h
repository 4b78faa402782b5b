// The doctor: examines a target and reports why it does not load and what to do. Nothing is
// written, and no program is run unless requested.
#pragma once

#include "doctor/diagnosis.h"
#include "survey/survey.h"

namespace tcfix::doctor {

struct DoctorOptions {
  survey::SurveyOptions survey;
  std::vector<int> required; ///< majors that must load
  bool isTried = false;      ///< --run: the result of the environment's own Python decides
  bool keepsTraces = true;   ///< with --all: also how each dependency was found
};

/// Reports the progress of a diagnosis of many packages. May be called from any thread.
using Advance = llvm::function_ref<void(size_t done, size_t total)>;

/// Only the verdict of diagnose(), without its reasons: much faster, for programs that check before
/// they import.
llvm::Expected<bool> isUsable(const std::string& target, const DoctorOptions& options);

llvm::Expected<Diagnosis> diagnose(
    const std::string& target, const DoctorOptions& options,
    Advance advance = [](size_t, size_t) {});

} // namespace tcfix::doctor
