// A target and everything needed to plan its repair: the environment, the package's libraries,
// their platform, and that platform's disk.
#pragma once

#include "env/package.h"
#include "image/platform.h"

namespace tcfix::env {

struct TargetQuery {
  std::string path;                    ///< as given by the user
  std::string sysroot;                 ///< --sysroot; empty: none
  std::string arch;                    ///< --arch; empty: that of the libraries
  std::vector<recipe::Recipe> recipes; ///< of the packages to look for
  /// Every package with native libraries, in an environment or site, instead of those.
  bool wantsEveryPackage = false;
  /// A directory with an entry of this name was changed by tcfix, and is a target even without a
  /// package. Empty: only packages count.
  std::string mark = {};
};

struct Target {
  Environment environment;
  std::vector<Package> packages;   ///< those of the first recipe first
  std::vector<std::string> absent; ///< the names of recipes without a package
  Platform platform =
      Platform::MacOs; ///< of the libraries; without any, of the layout or of this machine
  std::string arch;    ///< as requested, else of the libraries; empty if none could be read
  io::TargetDisk disk;

  /// For one of `packages`: Python imports another one of the same name, from an earlier site.
  bool isShadowed(const Package& package) const;
};

/// A directory that is neither an environment nor a site must be part of an installed package, or
/// contain exactly one copy of the package and no environment. Otherwise Usage, with what was found
/// below it; NotFound if there was nothing; Unreadable if a directory cannot be listed. Reads the
/// libraries until one shows the platform. For another platform, the disk is not on this machine
/// unless there is a sysroot.
llvm::Expected<Target> findTarget(const TargetQuery& query);

/// Usage or NotFound for a directory that is not an environment or part of one
/// (EnvironmentKind::Folder), with the environments below it; success for anything else.
llvm::Error checkIsEnvironment(const Environment& environment, const io::TargetDisk& disk);

} // namespace tcfix::env
