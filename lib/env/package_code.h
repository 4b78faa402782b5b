// What a package's Python code does about libraries, as far as its text shows.
#pragma once

#include "env/package.h"
#include "image/platform.h"

namespace tcfix::env {

/// Whether the package's Python code loads libraries itself, or adds directories to Windows'
/// search. A package that no installer lists the files of may do anything. Reads all of its code
/// until something is found: only for a package that needs it.
bool loadsLibrariesItself(const Package& package, Platform platform, const io::TargetDisk& disk);

} // namespace tcfix::env
