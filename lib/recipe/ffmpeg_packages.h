// The names of FFmpeg packages of a major in package managers. A name without a number installs the
// newest FFmpeg, which most releases of a package cannot use.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::recipe {

/// For pip: the newest PyAV whose FFmpeg has one of these majors, such as "av<19"; "av" if no PyAV
/// has a newer FFmpeg; empty if none has one of these.
std::string pyavRequirement(llvm::ArrayRef<int> majors);

/// For conda: one of these majors, such as "ffmpeg<8" or, for a single one, "ffmpeg>=7,<8".
std::string condaRequirement(llvm::ArrayRef<int> majors);

/// Homebrew's formula for this major.
std::string homebrewFormula(int major);

/// winget's package with FFmpeg's DLLs, and the version of this major; empty if none is known.
std::string wingetPackage(int major);

} // namespace tcfix::recipe
