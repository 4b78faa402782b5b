// Where an installed distribution came from, as its installer recorded it, and how it may be
// replaced.
#pragma once

#include "advice/advice.h"
#include "env/package.h"

namespace tcfix::env {

/// What brings packages into this environment.
advice::Installer installerOf(const Environment& environment, const std::string& site,
                              const io::TargetDisk& disk);

/// Installed by conda, by the distribution's own record.
bool isFromConda(const std::string& distInfo, const io::TargetDisk& disk);

/// Whether a package index has these files again. Not of an editable install, of a directory, a
/// checkout or an archive that was named (PEP 610), of a local version that is none of PyTorch's
/// channels, nor of files without a .dist-info.
bool isFromIndex(const std::string& distInfo, llvm::StringRef version, const io::TargetDisk& disk);

/// How to bring a package's own files back in the version that is installed; empty where that would
/// replace another build.
std::string reinstallHint(const Package& package, const io::TargetDisk& disk);

} // namespace tcfix::env
