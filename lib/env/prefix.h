// A prefix: the root directory of a Python installation or virtual environment, and the sites in
// it. Shared by the files of this module.
#pragma once

#include "env/environment.h"

#include <map>

namespace tcfix::env {

/// The keys (in lower case) and values of pyvenv.cfg; empty if there is none in the prefix.
using VenvConfig = std::map<std::string, std::string>;
VenvConfig readVenvConfig(const std::string& prefix, const io::TargetDisk& disk);

/// The version in a directory's name: "3.13t" for "python3.13t", "3.10" for "pypy3.10", "3" for
/// "python3" (Debian's, for every 3.x); nothing for other names.
std::optional<std::string> versionInFolderName(llvm::StringRef name);

/// Whether a Python of one version uses directories of the other; "3" and "" match all.
bool isCompatible(llvm::StringRef version, llvm::StringRef other);

/// The Python versions with a directory in the prefix, such as "3.12", even without packages.
std::vector<std::string> versionsOf(const std::string& prefix, const io::TargetDisk& disk);

/// The sites in a prefix; those reachable by several links only once.
std::vector<Site> sitesOf(const std::string& prefix, const io::TargetDisk& disk);

/// Whether this is the name of a site: site-packages, dist-packages.
bool isSiteName(llvm::StringRef name);

/// The prefix that contains a site; nothing if its path does not match a known layout.
std::optional<std::string> prefixAround(const std::string& site);

/// The site that contains `path`, or is it: by its name, or because packages are installed in it
/// (pip install --target); nothing if there is none.
std::optional<std::string> siteAround(const std::string& path, const io::TargetDisk& disk);

/// True for a site in Windows' layout: Lib\site-packages.
bool hasWindowsLayout(const Site& site);

/// Adds a site unless it is already in the list by another path.
void addSite(std::vector<Site>& sites, Site site, const io::TargetDisk& disk);

} // namespace tcfix::env
