// Where Python keeps its packages: virtual environments, conda, system and user folders, on every
// platform, and a bare folder or file that somebody points at.
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
  std::string basePrefix; ///< host path of the installation that a venv stands on; may be empty
};

enum class SiteKind { Own, System, User };

/// The kind's name in JSON, such as "own".
llvm::StringRef nameOf(SiteKind kind);

/// A folder that packages are installed in.
struct Site {
  std::string folder;        ///< host path
  std::string pythonVersion; ///< such as "3.12"; "3" for Debian's own; empty if nothing says
  SiteKind kind = SiteKind::Own;
};

struct Environment {
  std::string path; ///< as it was given
  std::string root; ///< host path, absolute, links followed; a file that is a link stays one
  /// Host path of what moves as one: the environment around a file or folder that was named, else
  /// the root itself.
  std::string whole;
  EnvironmentKind kind = EnvironmentKind::Folder;
  std::vector<Python> pythons;
  std::vector<Site> sites; ///< the first one that holds a package wins, as in sys.path
  std::string condaMeta;   ///< host path of conda's lists of its packages; empty outside conda
};

/// Unreadable: the system denies to look at a folder.
llvm::Error permissionDenied();

/// What lies at `target`. NotFound if nothing does; Unreadable if that cannot be seen; Usage (with
/// the hint `tcfix wheel`) for a .whl; NotALibrary for a file that is none. Works before the
/// target's platform is known: both layouts are looked for. A file or folder inside a site gets the
/// sites of the environment around it.
llvm::Expected<Environment> findEnvironment(llvm::StringRef target, const io::TargetDisk& disk);

/// The target when none is named: $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv, ./venv, else the
/// environment that this program is installed in.
llvm::Expected<std::string> defaultTarget();

} // namespace tcfix::env
