#include "env/target.h"

#include "env/prefix.h"
#include "formats/formats.h"
#include "io/system.h"

namespace tcfix::env {

namespace {

Format thisMachinesFormat() {
  switch (io::system::thisSystem()) {
  case io::system::System::Linux:
    return Format::Elf;
  case io::system::System::MacOs:
    return Format::MachO;
  case io::system::System::Windows:
    return Format::Pe;
  }
  return Format::Elf;
}

struct Kind {
  Format format;
  std::string arch;
};

/// What the first readable library says.
std::optional<Kind> kindOf(llvm::ArrayRef<Package> packages, const io::TargetDisk& disk) {
  for (const Package& package : packages)
    for (const std::string& library : package.libraries) {
      llvm::Expected<io::InputFile> file = disk.open(library);
      if (!file) {
        llvm::consumeError(file.takeError());
        continue;
      }
      llvm::Expected<Image> image = formats::inspect(file->bytes(), {.isThorough = false});
      if (!image) {
        llvm::consumeError(image.takeError());
        continue;
      }
      return Kind{image->format, image->slices.front().arch};
    }
  return std::nullopt;
}

} // namespace

llvm::Expected<Target> findTarget(const TargetQuery& query) {
  Format own = thisMachinesFormat();
  // As this machine sees it, until the libraries say more.
  io::TargetDisk first({.sysroot = query.sysroot, .isWindows = own == Format::Pe});
  if (!query.sysroot.empty() && !first.isFolder(first.options().sysroot))
    return fail(ErrorCode::NotFound, "there is no such folder: " + query.sysroot,
                "--sysroot names the folder that holds the target's root");
  llvm::Expected<Environment> environment = findEnvironment(query.path, first);
  if (!environment)
    return environment.takeError();
  std::vector<Package> packages = findPackages(*environment, first, query.package);
  std::optional<Kind> kind = kindOf(packages, first);
  Format platform = own;
  if (kind)
    platform = kind->format;
  else if (llvm::any_of(environment->sites, hasWindowsLayout))
    platform = Format::Pe;
  else if (own == Format::Pe && !query.sysroot.empty())
    platform = Format::Elf;
  std::string arch = !query.arch.empty() ? query.arch : kind ? kind->arch : std::string();
  bool isReachable = !query.sysroot.empty() || platform == own;
  io::TargetDisk disk({.sysroot = query.sysroot,
                       .isWindows = platform == Format::Pe,
                       .knowsAbsolutePaths = isReachable});
  if (platform != own) {
    // Letter case, links and the user's folders count differently there.
    environment = findEnvironment(query.path, disk);
    if (!environment)
      return environment.takeError();
    packages = findPackages(*environment, disk, query.package);
  }
  return Target{std::move(*environment), std::move(packages), platform, std::move(arch),
                std::move(disk)};
}

} // namespace tcfix::env
