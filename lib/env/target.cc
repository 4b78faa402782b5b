#include "env/target.h"

#include "base/paths.h"
#include "env/folder_target.h"
#include "env/part.h"
#include "env/prefix.h"
#include "formats/formats.h"
#include "io/host.h"
#include "io/system.h"

#include <algorithm>
#include <map>

namespace tcfix::env {

namespace {

struct Kind {
  Format format;
  std::string arch;
};

/// The kind of the first readable library of a package.
std::optional<Kind> kindOf(const Package& package, const io::TargetDisk& disk) {
  for (const std::string& library : package.libraries) {
    std::optional<io::InputFile> file = llvm::expectedToOptional(disk.open(library));
    if (!file)
      continue;
    std::optional<Image> image =
        llvm::expectedToOptional(formats::inspect(file->bytes(), {.isThorough = false}));
    if (!image)
      continue;
    // For a universal file, the process decides, not the order of the slices.
    return Kind{image->format, image->isUniversal ? "" : image->slices.front().arch};
  }
  return std::nullopt;
}

/// The kind of the first package; for all packages, the most frequent one: some also contain
/// libraries for other platforms.
std::optional<Kind> kindOf(llvm::ArrayRef<Package> packages, const io::TargetDisk& disk,
                           bool areAll) {
  std::map<Format, std::map<std::string, size_t>> votes;
  std::map<Format, size_t> sums;
  for (const Package& package : packages)
    if (std::optional<Kind> kind = kindOf(package, disk)) {
      if (!areAll)
        return kind;
      ++sums[kind->format];
      if (!kind->arch.empty())
        ++votes[kind->format][kind->arch];
    }
  auto isLess = [](const auto& one, const auto& other) { return one.second < other.second; };
  auto format = std::max_element(sums.begin(), sums.end(), isLess);
  if (format == sums.end())
    return std::nullopt;
  const std::map<std::string, size_t>& ofFormat = votes[format->first];
  auto arch = std::max_element(ofFormat.begin(), ofFormat.end(), isLess);
  return Kind{format->first, arch == ofFormat.end() ? std::string() : arch->first};
}

/// Fills in the target; called again, replacing everything, if the platform turns out different.
llvm::Error look(const TargetQuery& query, Target& target) {
  llvm::Expected<Environment> environment = findEnvironment(query.path, target.disk);
  if (!environment)
    return environment.takeError();
  target.environment = std::move(*environment);
  target.packages.clear();
  target.absent.clear();
  if (query.wantsEveryPackage) {
    const EnvironmentKind kind = target.environment.kind;
    if (kind == EnvironmentKind::Folder || kind == EnvironmentKind::File)
      return fail(ErrorCode::Usage, "is not a Python environment, which --all requires",
                  "pass an environment or its site-packages directory");
    target.packages = findPackagesWithLibraries(target.environment, target.disk);
    return llvm::Error::success();
  }
  if (target.environment.kind == EnvironmentKind::Folder)
    return lookInFolder(query, target);
  if (target.environment.kind == EnvironmentKind::File) {
    Package package = packageOfFile(target.environment, target.disk, query.recipes);
    llvm::Error owned = package.distInfo.empty()
                            ? checkNotOwned(package, target.environment, target.disk)
                            : llvm::Error::success();
    target.packages = {std::move(package)};
    return owned;
  }
  for (const recipe::Recipe& wanted : query.recipes) {
    std::vector<Package> found = findPackages(target.environment, target.disk, wanted);
    if (found.empty())
      target.absent.push_back(wanted.name);
    for (Package& package : found)
      target.packages.push_back(std::move(package));
  }
  return llvm::Error::success();
}

/// A directory that cannot be read may contain what is missing of a package, or all of it.
llvm::Error checkPermissions(const Target& target) {
  const Environment& environment = target.environment;
  bool isWhole = target.absent.empty() && llvm::none_of(target.packages, [](const Package& each) {
                   return each.libraries.empty();
                 });
  if (environment.kind == EnvironmentKind::Folder)
    return llvm::Error::success();
  auto contains = [](const std::string& folder, const Package& package) {
    return isWithin(package.site, folder) || folder == package.distInfo;
  };
  for (const std::string& folder : target.disk.forbidden())
    if (isWithin(folder, environment.whole) &&
        (!isWhole || llvm::any_of(target.packages,
                                  [&](const Package& each) { return contains(folder, each); })))
      return at(folder, permissionDenied());
  return llvm::Error::success();
}

} // namespace

bool Target::isShadowed(const Package& package) const {
  auto versionFor = [&](const Package& one) {
    for (const Site& site : environment.sites)
      if (site.folder == one.site)
        return site.pythonVersion;
    return std::string();
  };
  for (const Package& other : packages) {
    if (&other == &package)
      return false;
    if (other.name == package.name && isCompatible(versionFor(other), versionFor(package)))
      return true;
  }
  return false;
}

llvm::Expected<Target> findTarget(const TargetQuery& query) {
  const Platform own = platformOf(formats::thisMachinesFormat());
  bool hasSysroot = !query.sysroot.empty();
  // As on this machine, until a library shows the platform. Nothing is written in the meantime, so
  // directory listings can be cached.
  Target target{{},
                {},
                {},
                own,
                query.arch,
                io::TargetDisk({.sysroot = query.sysroot, .isWindows = own == Platform::Windows})
                    .remembering()};
  if (hasSysroot && !target.disk.isFolder(target.disk.options().sysroot))
    return io::isForbidden(query.sysroot)
               ? at(query.sysroot, permissionDenied())
               : fail(ErrorCode::NotFound, "no such directory: " + query.sysroot,
                      "--sysroot takes the target's root directory");
  if (llvm::Error error = look(query, target))
    return error;
  if (llvm::Error error = checkPermissions(target))
    return error;
  std::optional<Kind> kind = kindOf(target.packages, target.disk, query.wantsEveryPackage);
  if (kind)
    target.platform = platformOf(kind->format);
  else if (llvm::any_of(target.environment.sites, hasWindowsLayout))
    target.platform = Platform::Windows;
  target.arch = architectureOn(target.platform, target.arch);
  if (kind && target.arch.empty())
    target.arch = kind->arch;
  if (formats::isForThisMachine(formatOf(target.platform), target.arch))
    return target;
  // Case sensitivity, links and user directories depend on the platform.
  const io::TargetDiskOptions options{.sysroot = target.disk.options().sysroot,
                                      .isWindows = target.platform == Platform::Windows,
                                      .knowsAbsolutePaths = hasSysroot};
  if (options == target.disk.options())
    return target;
  target.disk = io::TargetDisk(options).remembering();
  if (llvm::Error error = look(query, target))
    return error;
  return target;
}

} // namespace tcfix::env
