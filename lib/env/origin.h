// Where an installed distribution came from, according to its installer, and how to reinstall it.
#pragma once

#include "advice/advice.h"
#include "env/package.h"

namespace tcfix::env {

/// The program that installs packages into this environment.
advice::Installer installerOf(const Environment& environment, const std::string& site,
                              const io::TargetDisk& disk);

/// True if its INSTALLER file names conda.
bool isFromConda(const std::string& distInfo, const io::TargetDisk& disk);

/// Whether the files can be downloaded again from a package index. False for an editable install,
/// for one from a directory, checkout or archive (PEP 610), for a local version other than those of
/// PyTorch's channels, and for files without a .dist-info.
bool isFromIndex(const std::string& distInfo, llvm::StringRef version, const io::TargetDisk& disk);

/// The hint for reinstalling the same version of a package; empty if that would install another
/// build.
std::string reinstallHint(const Package& package, const io::TargetDisk& disk);

} // namespace tcfix::env
