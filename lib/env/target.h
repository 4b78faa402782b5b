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
  /// Instead of those: every package with native libraries, of an environment or site.
  bool wantsEveryPackage = false;
  /// A folder with an entry of this name was changed by us, whatever is in it now; it is then a
  /// target without a package, too. Empty: only packages count.
  std::string mark = {};
};

struct Target {
  Environment environment;
  std::vector<Package> packages;   ///< those of the first recipe first
  std::vector<std::string> absent; ///< the names of recipes without a package
  Platform platform =
      Platform::MacOs; ///< of the libraries; without any, of the layout or this machine
  std::string arch;    ///< as asked for, else of the libraries; empty if none could be read
  io::TargetDisk disk;

  /// For one of `packages`: Python takes another one of its name, which is on its path before.
  bool isShadowed(const Package& package) const;
};

/// Only what is named: a folder that is neither an environment nor a site must be a part of an
/// installed package, or hold exactly one copy of the package and no environment. Else Usage, with
/// what was found below it; NotFound if there was nothing; Unreadable if the system denies to look.
/// Reads the libraries until one tells the platform. A disk of another platform than this machine
/// is out of reach unless there is a sysroot.
llvm::Expected<Target> findTarget(const TargetQuery& query);

/// Usage or NotFound for a folder that is no environment and lies in none
/// (EnvironmentKind::Folder), with the environments below it; success for anything else.
llvm::Error checkThatItIsAnEnvironment(const Environment& environment, const io::TargetDisk& disk);

} // namespace tcfix::env
