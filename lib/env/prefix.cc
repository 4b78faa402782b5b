#include "env/prefix.h"

#include "base/paths.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::env {

namespace path = llvm::sys::path;

namespace {

/// The entries of a directory with this name, ignoring case: a Windows disk mounted on Linux may
/// have both Lib and lib.
std::vector<std::string> inAnyCase(const std::string& folder, llvm::StringRef name,
                                   const io::TargetDisk& disk) {
  std::vector<std::string> found;
  for (const std::string& entry : disk.list(folder))
    if (name.equals_insensitive(entry))
      found.push_back(joined(folder, entry));
  return found;
}

/// How many levels above a library its site may be, if no directory's name shows it.
constexpr int kMaxLevelsAbove = 3;

bool containsPackages(llvm::StringRef folder, const io::TargetDisk& disk) {
  return llvm::any_of(disk.list(folder), [](const std::string& name) {
    return llvm::StringRef(name).ends_with(".dist-info");
  });
}

} // namespace

bool isSiteName(llvm::StringRef name) {
  return name.equals_insensitive("site-packages") || name == "dist-packages";
}

VenvConfig readVenvConfig(const std::string& prefix, const io::TargetDisk& disk) {
  VenvConfig config;
  std::optional<io::InputFile> file =
      llvm::expectedToOptional(disk.openText(joined(prefix, "pyvenv.cfg")));
  if (!file)
    return config;
  llvm::SmallVector<llvm::StringRef, 16> lines;
  textOf(file->bytes()).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    auto [key, value] = line.split('=');
    config.emplace(key.trim().lower(), value.trim().str());
  }
  return config;
}

std::optional<std::string> versionInFolderName(llvm::StringRef name) {
  if (!name.consume_front("python") && !name.consume_front("pypy"))
    return std::nullopt;
  llvm::StringRef number = name;
  number.consume_back("t"); // free-threaded
  auto [major, minor] = number.split('.');
  if (major.empty() || !llvm::all_of(major, llvm::isDigit) || !llvm::all_of(minor, llvm::isDigit))
    return std::nullopt;
  return name.str();
}

void addSite(std::vector<Site>& sites, Site site, const io::TargetDisk& disk) {
  if (!disk.isFolder(site.folder))
    return;
  std::optional<std::string> real = disk.realPath(site.folder);
  for (const Site& other : sites)
    if (other.folder == site.folder || disk.realPath(other.folder) == real)
      return;
  sites.push_back(std::move(site));
}

bool isCompatible(llvm::StringRef version, llvm::StringRef other) {
  auto isAny = [](llvm::StringRef each) { return each.empty() || each == "3"; };
  return version == other || isAny(version) || isAny(other);
}

std::vector<std::string> versionsOf(const std::string& prefix, const io::TargetDisk& disk) {
  std::vector<std::string> versions;
  for (llvm::StringRef lib : {"lib", "lib64"})
    for (const std::string& name : disk.list(joined(prefix, lib)))
      if (std::optional<std::string> version = versionInFolderName(name);
          version && *version != "3" && !llvm::is_contained(versions, *version))
        versions.push_back(*version);
  return versions;
}

std::vector<Site> sitesOf(const std::string& prefix, const io::TargetDisk& disk) {
  std::vector<Site> sites;
  for (llvm::StringRef name : {"lib", "lib64"})
    for (const std::string& lib : inAnyCase(prefix, name, disk))
      for (const std::string& child : disk.list(lib)) {
        if (llvm::StringRef(child).equals_insensitive("site-packages"))
          addSite(sites, {joined(lib, child), {}, SiteKind::Own}, disk);
        if (std::optional<std::string> version = versionInFolderName(child))
          for (llvm::StringRef kind : {"site-packages", "dist-packages"})
            addSite(sites, {joined(joined(lib, child), kind), *version, SiteKind::Own}, disk);
      }
  return sites;
}

std::optional<std::string> prefixAround(const std::string& site) {
  if (!isSiteName(path::filename(site)))
    return std::nullopt;
  llvm::StringRef above = path::parent_path(site);
  if (versionInFolderName(path::filename(above)))
    above = path::parent_path(above);
  if (!path::filename(above).equals_insensitive("lib") && path::filename(above) != "lib64")
    return std::nullopt;
  return path::parent_path(above).str();
}

std::optional<std::string> siteAround(const std::string& inside, const io::TargetDisk& disk) {
  if (containsPackages(inside, disk))
    return inside;
  for (llvm::StringRef above = inside; !above.empty(); above = path::parent_path(above))
    if (isSiteName(path::filename(above)))
      return above.str();
  llvm::StringRef above = path::parent_path(inside);
  for (int level = 0; level < kMaxLevelsAbove && !above.empty();
       ++level, above = path::parent_path(above))
    if (containsPackages(above, disk))
      return above.str();
  return std::nullopt;
}

bool hasWindowsLayout(const Site& site) {
  return path::filename(site.folder).equals_insensitive("site-packages") &&
         path::filename(path::parent_path(site.folder)).equals_insensitive("lib");
}

} // namespace tcfix::env
