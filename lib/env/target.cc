#include "env/target.h"

#include "env/prefix.h"
#include "formats/formats.h"
#include "io/system.h"

namespace tcfix::env {

namespace {

struct Kind {
  Format format;
  std::string arch;
};

/// What the first readable library says.
std::optional<Kind> kindOf(llvm::ArrayRef<Package> packages, const io::TargetDisk& disk) {
  for (const Package& package : packages)
    for (const std::string& library : package.libraries) {
      std::optional<io::InputFile> file = llvm::expectedToOptional(disk.open(library));
      if (!file)
        continue;
      std::optional<Image> image =
          llvm::expectedToOptional(formats::inspect(file->bytes(), {.isThorough = false}));
      if (!image)
        continue;
      // A universal one fits several machines; the one that loads it decides, not its order.
      return Kind{image->format, image->isUniversal ? "" : image->slices.front().arch};
    }
  return std::nullopt;
}

/// What the first look gives; the second one, if the platform asks for it, replaces it all.
llvm::Error look(const TargetQuery& query, Target& target) {
  llvm::Expected<Environment> environment = findEnvironment(query.path, target.disk);
  if (!environment)
    return environment.takeError();
  target.environment = std::move(*environment);
  target.packages.clear();
  target.absent.clear();
  for (const recipe::Recipe& wanted : query.recipes) {
    std::vector<Package> found = findPackages(target.environment, target.disk, wanted);
    if (found.empty())
      target.absent.push_back(wanted.name);
    for (Package& package : found)
      target.packages.push_back(std::move(package));
  }
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
    if (other.name == package.name && goesWith(versionFor(other), versionFor(package)))
      return true;
  }
  return false;
}

llvm::Expected<Target> findTarget(const TargetQuery& query) {
  const Platform own = platformOf(formats::thisMachinesFormat());
  bool hasSysroot = !query.sysroot.empty();
  // As this machine sees it, until the libraries say more. Nothing is written while a target is
  // looked at, so that one look at each folder is enough.
  Target target{{},
                {},
                {},
                own,
                query.arch,
                io::TargetDisk({.sysroot = query.sysroot, .isWindows = own == Platform::Windows})
                    .remembering()};
  if (hasSysroot && !target.disk.isFolder(target.disk.options().sysroot))
    return fail(ErrorCode::NotFound, "there is no such folder: " + query.sysroot,
                "--sysroot names the folder that holds the target's root");
  if (llvm::Error error = look(query, target))
    return error;
  std::optional<Kind> kind = kindOf(target.packages, target.disk);
  if (kind)
    target.platform = platformOf(kind->format);
  else if (llvm::any_of(target.environment.sites, hasWindowsLayout))
    target.platform = Platform::Windows;
  if (kind && target.arch.empty())
    target.arch = kind->arch;
  if (formats::isForThisMachine(formatOf(target.platform), target.arch))
    return target;
  // Letter case, links and the user's folders count differently there.
  target.disk = io::TargetDisk({.sysroot = query.sysroot,
                                .isWindows = target.platform == Platform::Windows,
                                .knowsAbsolutePaths = hasSysroot})
                    .remembering();
  if (llvm::Error error = look(query, target))
    return error;
  return target;
}

} // namespace tcfix::env
