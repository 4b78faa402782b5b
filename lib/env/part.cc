#include "env/part.h"

#include "base/paths.h"
#include "env/distribution.h"
#include "env/library_files.h"

#include <llvm/Support/Path.h>

namespace tcfix::env {

namespace path = llvm::sys::path;

namespace {

/// Keeps the libraries that `isNamed` accepts; the others become siblings.
void narrow(Package& package, llvm::function_ref<bool(const std::string& library)> isNamed) {
  std::vector<std::string> named;
  for (std::string& library : package.libraries)
    (isNamed(library) ? named : package.siblings).push_back(std::move(library));
  package.libraries = std::move(named);
  llvm::erase_if(package.grafted, [&](const std::string& library) { return !isNamed(library); });
}

bool isListed(const Distribution& distribution, const std::string& relative,
              const std::string& file, const io::TargetDisk& disk) {
  RecordFile list = readRecord(distribution, disk);
  const RecordRow* row = list.record ? list.record->find(relative) : nullptr;
  std::optional<io::InputFile> input = llvm::expectedToOptional(disk.open(file));
  return row && input && hasListedContent(*row, input->bytes());
}

/// A library without a package; with its siblings if its name identifies the package.
Package loneFile(const std::string& file, const Environment& environment,
                 const io::TargetDisk& disk, llvm::ArrayRef<recipe::Recipe> recipes) {
  const llvm::StringRef name = path::filename(file);
  Package package;
  package.name = name.split('.').first.str();
  package.site = environment.sites.front().folder;
  package.home = path::parent_path(file).str();
  package.libraries = {file};
  for (const recipe::Recipe& recipe : recipes)
    if (!recipe.libraryPrefix.empty() && name.starts_with(recipe.libraryPrefix)) {
      package.name = recipe.name;
      package.recipe = recipe;
      for (const std::string& other : disk.list(package.home))
        if (other != name && isLibraryName(other) &&
            llvm::StringRef(other).starts_with(recipe.libraryPrefix))
          package.siblings.push_back(joined(package.home, other));
      break;
    }
  return package;
}

} // namespace

std::optional<std::string> ownerOf(const std::string& file, const std::string& site,
                                   const io::TargetDisk& disk) {
  const std::string relative = relativePath(site, file);
  std::vector<Distribution> owners = distributionsListing(relative, site, disk);
  llvm::erase_if(owners, [&](const Distribution& each) {
    RecordFile list = readRecord(each, disk);
    return !list.record || !list.record->find(relative);
  });
  if (owners.empty())
    return std::nullopt;
  if (owners.size() > 1)
    for (const Distribution& each : owners)
      if (isListed(each, relative, file, disk))
        return each.name;
  return owners.front().name;
}

Package packageOfFile(const Environment& environment, const io::TargetDisk& disk,
                      llvm::ArrayRef<recipe::Recipe> recipes) {
  const std::string& file = environment.root;
  const std::string& site = environment.sites.front().folder;
  auto isFile = [&](const std::string& library) { return library == file; };
  auto among = [&](const recipe::Recipe& recipe) {
    std::optional<Package> package = findInSite(environment, disk, site, recipe);
    if (package && !llvm::is_contained(package->libraries, file))
      package.reset();
    if (package)
      narrow(*package, isFile);
    return package;
  };
  for (const recipe::Recipe& recipe : recipes)
    if (std::optional<Package> package = among(recipe))
      return std::move(*package);
  if (std::optional<std::string> owner = ownerOf(file, site, disk))
    if (std::optional<Package> package =
            findInSite(environment, disk, site, recipe::recipeFor(*owner))) {
      narrow(*package, isFile);
      package->libraries = {file}; // a grafted library counts if it is the target itself
      return std::move(*package);
    }
  // Without a RECORD, the package is the directory in the site.
  if (std::string relative = relativePath(site, file); llvm::StringRef(relative).contains('/'))
    if (std::optional<Package> package =
            among(recipe::recipeFor(llvm::StringRef(relative).split('/').first)))
      return std::move(*package);
  return loneFile(file, environment, disk, recipes);
}

std::optional<Package> packageInFolder(const Environment& environment, const io::TargetDisk& disk,
                                       const recipe::Recipe& recipe) {
  std::optional<Package> package =
      findInSite(environment, disk, environment.sites.front().folder, recipe);
  if (package)
    narrow(*package,
           [&](const std::string& library) { return isWithin(library, environment.root); });
  if (package && package->libraries.empty())
    package.reset();
  return package;
}

} // namespace tcfix::env
