// A target with all that must be known before anything is planned for it: which environment it is,
// the package's libraries, the platform that they are for, and the disk of that platform.
#pragma once

#include "env/package.h"
#include "image/platform.h"

namespace tcfix::env {

struct TargetQuery {
  std::string path;                    ///< what the user named
  std::string sysroot;                 ///< --sysroot; empty: none
  std::string arch;                    ///< --arch; empty: as the libraries say
  std::vector<recipe::Recipe> recipes; ///< of the packages to look for
};

struct Target {
  Environment environment;
  std::vector<Package> packages;   ///< those of the first recipe first
  std::vector<std::string> absent; ///< the names of recipes without a package
  Platform platform =
      Platform::MacOs; ///< of the libraries; without any, of the layout or this machine
  std::string arch;    ///< of the libraries; empty if none could be read
  io::TargetDisk disk;

  /// For one of `packages`: Python takes another one of its name, which is on its path before.
  bool isShadowed(const Package& package) const;
};

/// Reads the libraries until one tells the platform. A disk of another platform than this machine
/// is out of reach unless there is a sysroot.
llvm::Expected<Target> findTarget(const TargetQuery& query);

} // namespace tcfix::env
