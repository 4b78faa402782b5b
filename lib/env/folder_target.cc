#include "env/folder_target.h"

#include "base/paths.h"
#include "env/copies.h"
#include "env/distribution.h"
#include "env/part.h"
#include "env/prefix.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace tcfix::env {

namespace path = llvm::sys::path;

namespace {

/// The maximum number of paths in a message.
constexpr size_t kMaxListed = 5;

/// How many levels above a directory its mark may be: that of the package that contains it.
constexpr int kMarkLevels = 4;

bool isInSite(const Environment& environment) {
  const bool isFile = environment.kind == EnvironmentKind::File;
  return environment.sites.front().folder !=
         (isFile ? path::parent_path(environment.root) : llvm::StringRef(environment.root));
}

bool isMarked(const TargetQuery& query, const Target& target) {
  llvm::StringRef above = target.environment.root;
  for (int level = 0; level < kMarkLevels && !query.mark.empty() && !above.empty(); ++level) {
    if (target.disk.isFolder(joined(above, query.mark)))
      return true;
    above = path::parent_path(above);
  }
  return false;
}

/// The virtual or conda environment that contains a directory; empty if there is none.
std::string environmentAround(llvm::StringRef folder, const io::TargetDisk& disk) {
  for (llvm::StringRef above = path::parent_path(folder); !above.empty();
       above = path::parent_path(above))
    if (disk.isFile(joined(above, "pyvenv.cfg")) || disk.isFolder(joined(above, "conda-meta")))
      return above.str();
  return {};
}

/// Whether an environment or a site contains the package, judging by its directory's name.
bool containsPackage(const std::string& environment, llvm::StringRef package,
                     const io::TargetDisk& disk) {
  std::vector<Site> sites = sitesOf(environment, disk);
  if (sites.empty())
    sites.push_back({environment, {}, SiteKind::Own});
  return llvm::any_of(sites, [&](const Site& site) {
    return disk.isFolder(joined(site.folder, moduleName(package)));
  });
}

/// What was found, relative to the directory, those with the package first.
std::vector<std::string> namesOf(const FoundBelow& found, const Environment& environment,
                                 llvm::StringRef package, const io::TargetDisk& disk) {
  std::vector<std::string> paths = found.environments;
  std::stable_partition(paths.begin(), paths.end(), [&](const std::string& each) {
    return containsPackage(each, package, disk);
  });
  paths.insert(paths.begin(), found.copies.begin(), found.copies.end());
  for (std::string& each : paths)
    each = relativePath(environment.root, each);
  return paths;
}

/// `package` is what was searched for; empty: any environment.
llvm::Error refuse(FoundBelow found, const Environment& environment, llvm::StringRef package,
                   const io::TargetDisk& disk) {
  if (llvm::is_contained(disk.forbidden(), environment.root))
    return permissionDenied();
  // Judging by its contents, a directory such as lib may be part of an environment.
  std::string around = environmentAround(environment.root, disk);
  llvm::erase_if(found.environments, [&](const std::string& each) {
    const bool isAround = !isWithin(each, environment.root);
    if (isAround && around.empty())
      around = each;
    return isAround;
  });
  if (isInSite(environment) && found.count() == 0)
    return fail(ErrorCode::Usage, ("contains no libraries of " + package).str(),
                "pass the environment, " + environment.whole + ", or a package with --package");
  if (!around.empty() && found.count() == 0)
    return fail(ErrorCode::Usage, "is part of the environment " + around + ", but not one itself",
                "pass the environment: " + around);
  if (found.count() == 0 && found.isComplete && package.empty())
    return fail(ErrorCode::NotFound, "is not an environment",
                "pass a virtual environment or a site-packages directory");
  if (found.count() == 0 && found.isComplete)
    return fail(ErrorCode::NotFound,
                ("is not an environment, and does not contain " + package).str(),
                "pass an environment or a library");
  const std::string what =
      found.environments.empty() && found.count() > 1
          ? ("contains " + llvm::Twine(found.count()) + " copies of " + package + ": ").str()
          : "is not an environment; found below it: ";
  std::vector<std::string> names = namesOf(found, environment, package, disk);
  const std::string more =
      (names.size() > kMaxListed ? " and " + std::to_string(names.size() - kMaxListed) + " more"
                                 : "") +
      std::string(found.isComplete ? "" : " (not all directories were searched)");
  names.resize(std::min(names.size(), kMaxListed));
  if (names.empty())
    return fail(ErrorCode::Usage, "is not an environment, and is too large to search",
                "pass the environment or the package's directory itself");
  return fail(ErrorCode::Usage, what + llvm::join(names, ", ") + more,
              "pass one of them, such as " + joined(environment.path, names.front()));
}

/// Makes a copy the target; for one inside a site, with that site's environment.
void setCopy(Package copy, Target& target) {
  Environment& environment = target.environment;
  if (isInSite(environment))
    copy.site = environment.sites.front().folder;
  else if (target.packages.empty()) {
    environment.sites = {{copy.site, {}, SiteKind::Own}};
    environment.whole = isWithin(copy.site, environment.root) ? environment.root : copy.site;
  }
  target.packages.push_back(std::move(copy));
}

} // namespace

llvm::Error checkNotOwned(const Package& package, const Environment& environment,
                          const io::TargetDisk& disk) {
  std::vector<Site> sites;
  if (isInSite(environment))
    sites = {environment.sites.front()};
  else if (std::string around = environmentAround(environment.root, disk); !around.empty())
    sites = sitesOf(around, disk); // a RECORD may list files elsewhere in the environment
  for (const Site& site : sites)
    for (const std::string& library : package.libraries)
      if (std::optional<std::string> owner = ownerOf(library, site.folder, disk))
        return fail(ErrorCode::Usage, "belongs to the installed package " + *owner,
                    "pass its environment, with --package " + *owner);
  return llvm::Error::success();
}

llvm::Error lookInFolder(const TargetQuery& query, Target& target) {
  const Environment environment = target.environment; // a copy: the first match changes it
  const std::string& root = environment.root;
  for (const recipe::Recipe& recipe : query.recipes) {
    if (isInSite(environment))
      if (std::optional<Package> package = packageInFolder(environment, target.disk, recipe)) {
        target.packages.push_back(std::move(*package));
        continue;
      }
    std::optional<Package> copy;
    FoundBelow found =
        searchBelow(root, target.disk,
                    [&](const std::string& folder, llvm::ArrayRef<io::DirectoryEntry> entries) {
                      std::optional<Package> here = findCopy(folder, entries, target.disk, recipe);
                      const bool isOurs =
                          llvm::any_of(entries, [&](const io::DirectoryEntry& each) {
                            return each.isDirectory() && each.name == query.mark;
                          });
                      if (!here && isOurs) { // its libraries were renamed or removed
                        here.emplace();
                        here->site = here->home = folder;
                      }
                      if (here)
                        copy = std::move(here);
                      return copy && copy->home == folder;
                    });
    if (found.copies.size() == 1 && found.environments.empty() && found.isComplete) {
      if (llvm::Error error = checkNotOwned(*copy, environment, target.disk))
        return error;
      setCopy(std::move(*copy), target);
      continue;
    }
    target.absent.push_back(recipe.name);
    if (found.count() != 0 || !found.isComplete)
      return isMarked(query, target)
                 ? llvm::Error::success()
                 : refuse(std::move(found), environment, recipe.name, target.disk);
  }
  const bool isEnough = !target.packages.empty() || isMarked(query, target) ||
                        (!query.mark.empty() && isInSite(environment));
  return isEnough ? llvm::Error::success()
                  : refuse({}, environment, query.recipes.front().name, target.disk);
}

llvm::Error checkIsEnvironment(const Environment& environment, const io::TargetDisk& disk) {
  if (environment.kind != EnvironmentKind::Folder || isInSite(environment))
    return llvm::Error::success();
  auto none = [](const std::string&, llvm::ArrayRef<io::DirectoryEntry>) { return false; };
  return refuse(searchBelow(environment.root, disk, none), environment, /*package=*/{}, disk);
}

} // namespace tcfix::env
