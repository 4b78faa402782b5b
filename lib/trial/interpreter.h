// The python that a trial may start: the environment's own, on this machine, not lent power.
#pragma once

#include "survey/survey.h"

namespace tcfix::trial {

struct Interpreter {
  std::string path;         ///< host path; a virtual environment's link stays one
  bool hasUserSite = false; ///< packages that the user installed belong to the environment
};

/// The python of a package's environment. Usage where there is none, it is for another machine, or
/// we are root and someone else could have put anything into it.
llvm::Expected<Interpreter> findInterpreter(const env::Target& target, const env::Package& package,
                                            const survey::SurveyOptions& options);

} // namespace tcfix::trial
