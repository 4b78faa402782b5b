// Installed packages: their .dist-info, their RECORD, and the native libraries among their files.
#pragma once

#include "base/error.h"
#include "env/environment.h"
#include "recipe/recipe.h"

namespace tcfix::env {

struct Package {
  recipe::Recipe recipe; ///< with the name to import
  std::string name;
  std::string version;  ///< empty if there is no .dist-info
  std::string site;     ///< host path of the directory that it is installed in
  std::string distInfo; ///< host path; empty if there is none
  bool hasRecord = false;
  std::string home; ///< host path of its own directory; empty if there is a .dist-info
  /// The distributions with files in its directory, if there are several: none of them owns it.
  std::vector<std::string> owners;
  std::string condaMeta; ///< host path of conda's record of its files; empty if there is none
  /// Host paths, sorted, with links not resolved. Files are selected by name only, so dangling
  /// links and text files are included.
  std::vector<std::string> libraries;
  /// Libraries that RECORD lists and that do not exist, relative to the site.
  std::vector<std::string> gone;
  /// Its other libraries, if only part of the package is the target; never changed.
  std::vector<std::string> siblings;
  /// Libraries of other projects that a wheel tool put into .dylibs, NAME.libs or, on Windows, the
  /// same directory.
  std::vector<std::string> grafted;
  /// The host path of the package's directory if it is a link out of the environment (an editable
  /// install); else empty.
  std::string outward;
  std::vector<Problem> problems; ///< such as a malformed RECORD or missing files
};

/// The package in every site of the environment that has it, unless Python would not import it from
/// there. Names are normalized (PEP 503). Reads only RECORD and the package's own directory, since
/// other packages may have 20,000 files. For whole environments and sites; for a file or another
/// directory see part.h and copies.h.
std::vector<Package> findPackages(const Environment& environment, const io::TargetDisk& disk,
                                  const recipe::Recipe& recipe);

/// The package in one site; nothing if it is not installed there.
std::optional<Package> findInSite(const Environment& environment, const io::TargetDisk& disk,
                                  const std::string& site, const recipe::Recipe& recipe);

/// Host path of conda's record of a package's files; empty if there is none.
std::string findCondaMeta(const Environment& environment, const io::TargetDisk& disk,
                          llvm::StringRef package);

/// Every package that Python would find and that has native libraries, by its distribution.
/// Packages whose RECORD lists no library are skipped.
std::vector<Package> findPackagesWithLibraries(const Environment& environment,
                                               const io::TargetDisk& disk);

/// All packages that Python would find, with name and version only.
std::vector<Package> listPackages(const Environment& environment, const io::TargetDisk& disk);

} // namespace tcfix::env
