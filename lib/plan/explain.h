// Explains a plan to the user: why each FFmpeg was chosen or not, and which options had no effect.
#pragma once

#include "plan/plan.h"

namespace tcfix::plan {

/// Sets the reasons in `ffmpegs` of the plan that are not set yet.
void explainChoices(const PackageFacts& facts, const io::TargetDisk& disk, PackagePlan& plan);

/// About search paths and FFmpegs that were requested and are not used.
std::vector<std::string> warningsAbout(const Request& request, const PackageFacts& facts,
                                       const PackagePlan& plan, const Simulation& simulation);

} // namespace tcfix::plan
