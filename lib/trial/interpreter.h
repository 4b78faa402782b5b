// The Python that a trial may start: the environment's own, for this machine, and safe to run.
#pragma once

#include "survey/survey.h"

namespace tcfix::trial {

struct Interpreter {
  std::string path;         ///< host path; a virtual environment's link is not resolved
  bool hasUserSite = false; ///< packages in the user's site belong to the environment
};

/// The Python of a package's environment. A usage error if there is none, if it is for another
/// machine, or if tcfix runs as root and another user could have modified the environment.
llvm::Expected<Interpreter> findInterpreter(const env::Target& target, const env::Package& package,
                                            const survey::SurveyOptions& options);

} // namespace tcfix::trial
