// A part of an installed package as the target: a library, or a directory inside a site. A file
// that is listed in a RECORD belongs to that package, whose lists are updated with every change.
#pragma once

#include "env/package.h"

namespace tcfix::env {

/// The name of the distribution in a site whose RECORD lists the file; if there are several, the
/// one with the right hash.
std::optional<std::string> ownerOf(const std::string& file, const std::string& site,
                                   const io::TargetDisk& disk);

/// The package of a library that is the target (EnvironmentKind::File), without its other
/// libraries: one of `recipes`, else the one that owns the file, else one that consists of the
/// file.
Package packageOfFile(const Environment& environment, const io::TargetDisk& disk,
                      llvm::ArrayRef<recipe::Recipe> recipes);

/// The package of the site that contains a directory, with the libraries below that directory;
/// nothing if there are none.
std::optional<Package> packageInFolder(const Environment& environment, const io::TargetDisk& disk,
                                       const recipe::Recipe& recipe);

} // namespace tcfix::env
