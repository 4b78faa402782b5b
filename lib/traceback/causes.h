// The meaning of the failures in a text: for the package that they are about, and as findings.
#pragma once

#include "doctor/findings.h"
#include "traceback/reader.h"

namespace tcfix::traceback {

/// How far the package got with a major. All majors but one are expected to lack their FFmpeg; the
/// group that loaded the most shows the real cause.
enum class Progress {
  NotBuilt, ///< this build has no libraries for it
  Nowhere,  ///< it failed without a reason in the text
  WithoutFfmpeg,
  WithPartOfFfmpeg, ///< some of its libraries were found, and another was not
  Further
};
Progress progressOf(const Defect& failure);

/// Drops what is not about the failure: warnings about optional packages, attempts of other
/// packages, a sentence that another one explains.
void keepRelevant(TracebackFacts& facts);

/// The failure in the terms of the table of findings; `package` is what failed.
Defect classified(const Defect& failure, const std::string& package, const TracebackFacts& facts);

/// The cause if none of the majors in the text found its FFmpeg; `first` is the failure of the
/// first major.
Defect ffmpegDefect(const Defect& first, const TracebackFacts& facts);

/// True if the package and torch were not built for each other, regardless of their versions.
bool isTorchTheCause(const Defect& failure);

/// True for a library of the recipe's package, and not of a plugin.
bool isOwnLibrary(const Defect& failure);

/// What did not load: a package, or else a file; empty if the text does not show it.
std::string failedPackage(const Defect& failure, const TracebackFacts& facts);

/// The failure as a loader's problem, for the report on its group.
resolve::LoadProblem problemOf(const Defect& failure);

} // namespace tcfix::traceback
