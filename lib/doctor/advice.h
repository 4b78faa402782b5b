// The commands that help, ready to type.
#pragma once

#include "doctor/findings.h"

namespace tcfix::doctor {

/// A word of a command line, in quotes if it needs them.
std::string quoted(llvm::StringRef word);

/// Installs an FFmpeg that the package can use, this major or an older one.
std::string ffmpegInstallCommand(const FindingContext& context, int highest);

/// Installs the release of the package that goes with this torch; where none is known, upgrades
/// both.
std::string fittingReleaseCommand(const FindingContext& context);

/// Installs NVIDIA's wheel with this library; empty if none is known.
std::string cudaInstallCommand(llvm::StringRef library);

/// Brings a package's own files back; empty where no installer can do so.
std::string reinstallCommand(const std::string& package);
std::string reinstallCommand(const FindingContext& context);

} // namespace tcfix::doctor
