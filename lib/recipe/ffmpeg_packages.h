// What package managers call the FFmpeg of a major. A name without a number brings whatever FFmpeg
// is newest, which most releases of a package cannot use.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::recipe {

/// For pip: the newest PyAV whose FFmpeg is of one of these majors, such as "av<19"; "av" where no
/// PyAV has a newer FFmpeg; empty where none has one of these.
std::string pyavRequirement(llvm::ArrayRef<int> majors);

/// The FFmpeg major inside a PyAV, by the first number of PyAV's version; 0 if it is not known.
int ffmpegMajorOfPyav(int pyavMajor);

/// For conda: one of these majors, such as "ffmpeg<8" or, of a single one, "ffmpeg>=7,<8".
std::string condaRequirement(llvm::ArrayRef<int> majors);

/// Homebrew's formula of this major.
std::string homebrewFormula(int major);

/// winget's package with FFmpeg's DLLs, and the version of this major; empty if none is known.
std::string wingetPackage(int major);

} // namespace tcfix::recipe
