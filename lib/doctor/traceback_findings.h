// What is told of one library, as a problem of the loader and as a finding.
#pragma once

#include "doctor/rules.h"
#include "doctor/traceback_reader.h"

namespace tcfix::doctor {

resolve::LoadProblem problemOf(const ToldFailure& failure);

/// `scene` is that of the text; the finding may be about another package than torchcodec.
Finding findingOf(const ToldFailure& failure, Scene scene, const Told& told);

/// What it means that none of these majors found its FFmpeg; `first` is what was told of the first.
Finding ffmpegFinding(const ToldFailure& first, const Scene& scene, const Told& told);

/// That a symbol of torch's is missing, which no other torchcodec of this version would find.
bool isTorchTheCause(const ToldFailure& failure);

/// What did not load: a package, or else a file.
std::string victimOf(const ToldFailure& failure);

/// That torchcodec lacks an FFmpeg, which is expected of every major that is not installed.
bool isFfmpegMissing(const ToldFailure& failure);

} // namespace tcfix::doctor
