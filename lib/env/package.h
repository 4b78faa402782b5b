// Installed packages: their .dist-info, their RECORD, and the native libraries among their files.
#pragma once

#include "base/error.h"
#include "env/environment.h"
#include "recipe/recipe.h"

namespace tcfix::env {

struct Package {
  recipe::Recipe recipe; ///< with the name that it is imported by
  std::string name;
  std::string version;  ///< empty if there is no .dist-info
  std::string site;     ///< host path of the folder that it is installed in
  std::string distInfo; ///< host path; empty if there is none
  bool hasRecord = false;
  std::string home; ///< host path of its own folder; empty if there is a .dist-info
  /// The distributions that have files in its folder, if there are several: none of them owns it.
  std::vector<std::string> owners;
  std::string condaMeta; ///< host path of conda's own list of its files; empty if there is none
  /// Host paths, sorted, not resolved: a symlink stays one. A file counts by its name alone, so
  /// that a dangling link or a text file is among them.
  std::vector<std::string> libraries;
  /// Those that RECORD lists and that are not there, relative to the site.
  std::vector<std::string> gone;
  /// Its other libraries, where only a part of the package was named; never changed.
  std::vector<std::string> siblings;
  /// Libraries of others that a wheel tool put into .dylibs, NAME.libs or, on Windows, beside.
  std::vector<std::string> grafted;
  /// The host path that the package's folder leads to, when that is outside its environment: an
  /// editable install; else empty.
  std::string outward;
  std::vector<Problem> problems; ///< what is odd about it: malformed RECORD, listed files missing
};

/// The package in every site of the environment that has it, unless Python would not see it there.
/// Names are compared as PEP 503 says.
/// Reads RECORD and the package's own folder only: other packages may have 20,000 files. For whole
/// environments and sites; a file or another folder: see part.h and copies.h.
std::vector<Package> findPackages(const Environment& environment, const io::TargetDisk& disk,
                                  const recipe::Recipe& recipe);

/// The package in one site; nothing if it is not there.
std::optional<Package> findInSite(const Environment& environment, const io::TargetDisk& disk,
                                  const std::string& site, const recipe::Recipe& recipe);

/// Host path of conda's own list of a package's files; empty if there is none.
std::string findCondaMeta(const Environment& environment, const io::TargetDisk& disk,
                          llvm::StringRef package);

/// Every package that Python would see and that has native libraries, by its distribution. Those
/// whose RECORD names no library are not looked into.
std::vector<Package> findPackagesWithLibraries(const Environment& environment,
                                               const io::TargetDisk& disk);

/// All packages that Python would see, name and version only.
std::vector<Package> listPackages(const Environment& environment, const io::TargetDisk& disk);

} // namespace tcfix::env
