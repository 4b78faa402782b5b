// Where Python packages are installed: virtual environments, conda, system and user directories, on
// every platform, and single directories or files named by the user.
#pragma once

#include "io/target_disk.h"
#include "tcfix/image.h"

#include <llvm/Support/Error.h>

namespace tcfix::env {

enum class EnvironmentKind { Venv, Conda, SystemPython, SitePackages, Folder, File };

/// The kind in words, such as "virtual environment".
llvm::StringRef nameOf(EnvironmentKind kind);

struct Python {
  std::string version;    ///< such as "3.12" or "3.13t"; empty if unknown
  std::string executable; ///< host path; empty if there is none
  std::string basePrefix; ///< host path of the installation that a venv is based on; may be empty
};

enum class SiteKind { Own, System, User };

/// The kind's name in JSON, such as "own".
llvm::StringRef nameOf(SiteKind kind);

/// A directory that packages are installed in.
struct Site {
  std::string folder;        ///< host path
  std::string pythonVersion; ///< such as "3.12"; "3" for Debian's own; empty if unknown
  SiteKind kind = SiteKind::Own;
};

struct Environment {
  std::string path; ///< as given by the user
  std::string root; ///< absolute host path with links resolved, except that of a file itself
  /// Host path of the environment that contains the given file or directory, else the root itself.
  /// Everything in it can be moved together.
  std::string whole;
  EnvironmentKind kind = EnvironmentKind::Folder;
  std::vector<Python> pythons;
  std::vector<Site> sites; ///< in the order of sys.path: the first one with a package is used
  std::string condaMeta;   ///< host path of conda-meta; empty outside conda
};

/// Unreadable: no permission to list a directory.
llvm::Error permissionDenied();

/// The environment at `target`. NotFound if there is nothing; Unreadable if it cannot be listed;
/// Usage (with the hint `tcfix wheel`) for a .whl; NotALibrary for a file that is not one. Works
/// before the target's platform is known: checks both layouts. A file or directory inside a site
/// gets the sites of the environment that contains it.
llvm::Expected<Environment> findEnvironment(llvm::StringRef target, const io::TargetDisk& disk);

/// The target if none is given: $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv, ./venv, else the environment
/// that this program is installed in.
llvm::Expected<std::string> defaultTarget();

} // namespace tcfix::env
