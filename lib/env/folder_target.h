// Which folders are targets although they are neither environments nor sites.
#pragma once

#include "env/target.h"

namespace tcfix::env {

/// Finds the packages of a target whose environment is a folder (EnvironmentKind::Folder), and what
/// surrounds them; see findTarget.
llvm::Error lookInFolder(const TargetQuery& query, Target& target);

/// Usage if a RECORD lists one of the libraries of a package without .dist-info: they must not
/// change without it.
llvm::Error checkThatNobodyOwns(const Package& package, const Environment& environment,
                                const io::TargetDisk& disk);

} // namespace tcfix::env
