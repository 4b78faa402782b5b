// A part of an installed package that was named by itself: a library, or a folder inside a site.
// Whatever a RECORD lists belongs to that package, so that its lists follow every change.
#pragma once

#include "env/package.h"

namespace tcfix::env {

/// The name of the distribution in a site whose RECORD lists the file; of several the one with the
/// right hash.
std::optional<std::string> ownerOf(const std::string& file, const std::string& site,
                                   const io::TargetDisk& disk);

/// The package of the library that the environment is (EnvironmentKind::File), with no other
/// libraries: one of `recipes`, else whichever owns the file, else one that consists of it.
Package packageOfFile(const Environment& environment, const io::TargetDisk& disk,
                      llvm::ArrayRef<recipe::Recipe> recipes);

/// The package of the site around a folder, with the libraries below that folder; nothing if there
/// are none.
std::optional<Package> packageInFolder(const Environment& environment, const io::TargetDisk& disk,
                                       const recipe::Recipe& recipe);

} // namespace tcfix::env
