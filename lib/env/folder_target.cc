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

/// How many finds a message lists.
constexpr size_t kMostListed = 5;

/// How far above a folder its mark may be: that of a package whose folder this is a part of.
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

/// The virtual or conda environment that a folder lies in; empty if there is none.
std::string environmentAround(llvm::StringRef folder, const io::TargetDisk& disk) {
  for (llvm::StringRef above = path::parent_path(folder); !above.empty();
       above = path::parent_path(above))
    if (disk.isFile(joined(above, "pyvenv.cfg")) || disk.isFolder(joined(above, "conda-meta")))
      return above.str();
  return {};
}

/// Whether an environment, or a site, holds the package, by the name of its folder.
bool holdsPackage(const std::string& environment, llvm::StringRef package,
                  const io::TargetDisk& disk) {
  std::vector<Site> sites = sitesOf(environment, disk);
  if (sites.empty())
    sites.push_back({environment, {}, SiteKind::Own});
  return llvm::any_of(sites, [&](const Site& site) {
    return disk.isFolder(joined(site.folder, moduleName(package)));
  });
}

/// What was found, as seen from the folder, those with the package first.
std::vector<std::string> namesOf(const FoundBelow& found, const Environment& environment,
                                 llvm::StringRef package, const io::TargetDisk& disk) {
  std::vector<std::string> paths = found.environments;
  std::stable_partition(paths.begin(), paths.end(),
                        [&](const std::string& each) { return holdsPackage(each, package, disk); });
  paths.insert(paths.begin(), found.copies.begin(), found.copies.end());
  for (std::string& each : paths)
    each = relativePath(environment.root, each);
  return paths;
}

/// `package` is what was looked for; empty: an environment, whatever it holds.
llvm::Error refuse(FoundBelow found, const Environment& environment, llvm::StringRef package,
                   const io::TargetDisk& disk) {
  if (llvm::is_contained(disk.forbidden(), environment.root))
    return permissionDenied();
  // By the layout of what lies below, a folder such as lib may be a part of one.
  std::string around = environmentAround(environment.root, disk);
  llvm::erase_if(found.environments, [&](const std::string& each) {
    const bool isAround = !isWithin(each, environment.root);
    if (isAround && around.empty())
      around = each;
    return isAround;
  });
  if (isInSite(environment) && found.count() == 0)
    return fail(ErrorCode::Usage, ("contains no libraries of " + package).str(),
                "name the environment, " + environment.whole + ", or a package with --package");
  if (!around.empty() && found.count() == 0)
    return fail(ErrorCode::Usage, "part of the environment " + around + ", not one itself",
                "name the environment: " + around);
  if (found.count() == 0 && found.isComplete && package.empty())
    return fail(ErrorCode::NotFound, "not an environment",
                "name a virtual environment or a site-packages directory");
  if (found.count() == 0 && found.isComplete)
    return fail(ErrorCode::NotFound, ("not an environment, and does not contain " + package).str(),
                "name an environment or a library");
  const std::string what =
      found.environments.empty() && found.count() > 1
          ? ("contains " + llvm::Twine(found.count()) + " copies of " + package + ": ").str()
          : "not an environment; found below it: ";
  std::vector<std::string> names = namesOf(found, environment, package, disk);
  const std::string more =
      (names.size() > kMostListed ? " and " + std::to_string(names.size() - kMostListed) + " more"
                                  : "") +
      std::string(found.isComplete ? "" : " (not all directories were searched)");
  names.resize(std::min(names.size(), kMostListed));
  if (names.empty())
    return fail(ErrorCode::Usage, "not an environment, and too large to be searched",
                "name the environment or the package's directory itself");
  return fail(ErrorCode::Usage, what + llvm::join(names, ", ") + more,
              "name one of them, such as " + joined(environment.path, names.front()));
}

/// The copy's own surroundings; one inside a site has those of the site.
void settle(Package copy, Target& target) {
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

llvm::Error checkThatNobodyOwns(const Package& package, const Environment& environment,
                                const io::TargetDisk& disk) {
  std::vector<Site> sites;
  if (isInSite(environment))
    sites = {environment.sites.front()};
  else if (std::string around = environmentAround(environment.root, disk); !around.empty())
    sites = sitesOf(around, disk); // a RECORD may list what lies elsewhere in the environment
  for (const Site& site : sites)
    for (const std::string& library : package.libraries)
      if (std::optional<std::string> owner = ownerOf(library, site.folder, disk))
        return fail(ErrorCode::Usage, "belongs to the installed package " + *owner,
                    "use --package " + *owner + " and name its environment");
  return llvm::Error::success();
}

llvm::Error lookInFolder(const TargetQuery& query, Target& target) {
  const Environment environment = target.environment; // which changes with the first copy
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
                            return each.isDirectory && each.name == query.mark;
                          });
                      if (!here && isOurs) { // its libraries have another name, or are gone
                        here.emplace();
                        here->site = here->home = folder;
                      }
                      if (here)
                        copy = std::move(here);
                      return copy && copy->home == folder;
                    });
    if (found.copies.size() == 1 && found.environments.empty() && found.isComplete) {
      if (llvm::Error error = checkThatNobodyOwns(*copy, environment, target.disk))
        return error;
      settle(std::move(*copy), target);
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

llvm::Error checkThatItIsAnEnvironment(const Environment& environment, const io::TargetDisk& disk) {
  if (environment.kind != EnvironmentKind::Folder || isInSite(environment))
    return llvm::Error::success();
  auto none = [](const std::string&, llvm::ArrayRef<io::DirectoryEntry>) { return false; };
  return refuse(searchBelow(environment.root, disk, none), environment, /*package=*/{}, disk);
}

} // namespace tcfix::env
