// Which directories are valid targets although they are neither environments nor sites.
#pragma once

#include "env/target.h"

namespace tcfix::env {

/// Finds the packages of a target that is a plain directory (EnvironmentKind::Folder), and their
/// environment; see findTarget.
llvm::Error lookInFolder(const TargetQuery& query, Target& target);

/// Usage if a RECORD lists one of the libraries of a package without .dist-info: that RECORD would
/// have to change with them.
llvm::Error checkNotOwned(const Package& package, const Environment& environment,
                          const io::TargetDisk& disk);

} // namespace tcfix::env
