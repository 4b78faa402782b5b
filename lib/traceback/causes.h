// What the failures in a text mean: for the package that they are about, and as findings.
#pragma once

#include "doctor/findings.h"
#include "traceback/reader.h"

namespace tcfix::traceback {

/// How far the package came with a major. A missing FFmpeg is expected of all but one; the group
/// that got further shows what is really wrong.
enum class Progress { Nowhere, WithoutFfmpeg, Further };
Progress progressOf(const Defect& failure);

/// The failure as the table of findings knows it; `package` is what failed.
Defect classified(const Defect& failure, const std::string& package, const TracebackFacts& facts);

/// What it means that none of the majors found its FFmpeg; `first` is the failure of the first.
Defect ffmpegDefect(const Defect& first, const TracebackFacts& facts);

/// True if a symbol of torch's is missing, which no other build of this release would find.
bool isTorchTheCause(const Defect& failure);

/// True for a library of the recipe's package.
bool isOwnLibrary(const Defect& failure);

/// What did not load: a package, or else a file.
std::string failedPackage(const Defect& failure);

/// The failure as a loader's problem, for the report on its group.
resolve::LoadProblem problemOf(const Defect& failure);

} // namespace tcfix::traceback
