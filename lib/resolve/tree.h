// One library loaded into an empty process: what it depends on, and what that depends on.
#pragma once

#include "resolve/session.h"

namespace tcfix::resolve {

struct TreeOptions {
  std::string sysroot; ///< empty: this machine
  std::string arch;    ///< of the process; empty: the library's first one
};

struct Tree {
  std::string root; ///< the host path that the loader knows it by
  LoadResult result;
};

/// A library for another platform than this machine has its own neighbours only, unless there is a
/// sysroot.
Tree loadAlone(const std::string& path, const Image& image, const TreeOptions& options);

} // namespace tcfix::resolve
