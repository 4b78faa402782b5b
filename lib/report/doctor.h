// The output of `tcfix doctor`: one screen of text, or one JSON document.
#pragma once

#include "doctor/diagnosis.h"
#include "report/json.h"

namespace tcfix::report {

std::string renderDiagnosis(const doctor::Diagnosis& diagnosis, bool isVerbose, const Paint& paint);
std::string jsonForDoctor(const Preamble& preamble, const doctor::Diagnosis& diagnosis);

} // namespace tcfix::report
