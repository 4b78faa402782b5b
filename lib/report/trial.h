// The result of --run as text and JSON. Used by the files of this module only.
#pragma once

#include "report/json_parts.h"
#include "trial/trial.h"

namespace tcfix::report {

/// "loads with FFmpeg 7 (0.4 s)", or why it does not.
std::string trialText(const trial::Trial& trial, llvm::ArrayRef<int> required = {});

/// The member `run`; null without a trial.
void writeTrial(OStream& out, const std::optional<trial::Trial>& trial);

} // namespace tcfix::report
