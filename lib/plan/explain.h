// What the user should know of a plan: why each FFmpeg was taken or left, and what was asked for
// and came to nothing.
#pragma once

#include "plan/plan.h"

namespace tcfix::plan {

/// Fills in `ffmpegs` of the plan, where nothing is said yet.
void explainChoices(const PackageFacts& facts, const io::TargetDisk& disk, PackagePlan& plan);

/// Search paths and FFmpegs that were named and serve nobody.
std::vector<std::string> warningsAbout(const Request& request, const PackageFacts& facts,
                                       const PackagePlan& plan, const Simulation& simulation);

} // namespace tcfix::plan
