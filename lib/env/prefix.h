// A prefix: the folder that a Python installation or virtual environment fills, and the folders for
// packages that its layout has. Shared by the files of this module.
#pragma once

#include "env/environment.h"

#include <map>

namespace tcfix::env {

/// The keys of pyvenv.cfg, in lower case, and their values; empty if there is none in the prefix.
using VenvConfig = std::map<std::string, std::string>;
VenvConfig readVenvConfig(const std::string& prefix, const io::TargetDisk& disk);

/// The version in a folder's name: "python3.13t" gives "3.13t", "pypy3.10" gives "3.10", "python3"
/// (Debian's, for every 3.x) gives "3"; nothing for other names.
std::optional<std::string> versionInFolderName(llvm::StringRef name);

/// Whether a Python of one version looks into folders of the other; "3" and "" go with all.
bool goesWith(llvm::StringRef version, llvm::StringRef other);

/// The versions that a prefix has folders for, such as "3.12", whether or not they hold packages.
std::vector<std::string> versionsOf(const std::string& prefix, const io::TargetDisk& disk);

/// The folders for packages that lie in a prefix, without those that links show twice.
std::vector<Site> sitesOf(const std::string& prefix, const io::TargetDisk& disk);

/// Whether packages are installed in folders of this name: site-packages, dist-packages.
bool isSiteName(llvm::StringRef name);

/// The prefix around a folder for packages; nothing if it does not lie in the layout of one.
std::optional<std::string> prefixAround(const std::string& site);

/// The folder for packages that holds `path`, or is it: by its name, or because packages are
/// installed in it (pip install --target); nothing if none does.
std::optional<std::string> siteAround(const std::string& path, const io::TargetDisk& disk);

/// True for what belongs to Windows' layout: Lib\site-packages.
bool hasWindowsLayout(const Site& site);

/// Adds a site unless it is already there under another name.
void addSite(std::vector<Site>& sites, Site site, const io::TargetDisk& disk);

} // namespace tcfix::env
