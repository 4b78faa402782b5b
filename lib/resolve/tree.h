// The dependency tree of one library, loaded into an empty process.
#pragma once

#include "resolve/session.h"

namespace tcfix::resolve {

struct TreeOptions {
  std::string sysroot; ///< empty: this machine
  std::string arch;    ///< of the process; empty: the library's first one
};

struct Tree {
  std::string root; ///< the host path that it is loaded by
  LoadResult result;
};

/// A library for another platform can find only libraries relative to itself, unless there is a
/// sysroot.
Tree loadAlone(const std::string& path, const Image& image, const TreeOptions& options);

} // namespace tcfix::resolve
