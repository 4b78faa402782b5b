// The doctor: looks at a target, as it is, and says why it does not load and what to do. Nothing is
// run and nothing written.
#pragma once

#include "doctor/finding.h"
#include "survey/survey.h"

namespace tcfix::doctor {

struct Diagnosis {
  std::string target;              ///< as it was given
  bool isOk = false;               ///< at least one major loads, and all that are required
  bool isKnown = true;             ///< false: places of the target's system are out of reach
  std::string summary;             ///< the verdict in one sentence
  std::string action;              ///< the command that comes next; empty if there is nothing to do
  std::string package;             ///< name and version, for people
  std::vector<GroupReport> groups; ///< in the order in which torchcodec tries them
  std::vector<int> required;       ///< majors that must load
  std::vector<Finding> findings;   ///< the worst first
  std::vector<Evidence> told;      ///< versions and system, out of a traceback; else empty
};

struct DoctorOptions {
  survey::SurveyOptions survey;
  std::vector<int> required; ///< majors that must load
};

llvm::Expected<Diagnosis> diagnose(const std::string& target, const DoctorOptions& options);

} // namespace tcfix::doctor
