// torch is found by its directory: reading its RECORD of 20,000 files would take too long.
#include "providers/torch.h"

#include "base/paths.h"
#include "env/distribution.h"
#include "image/names.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::providers {

namespace {

std::string versionSourceOf(const std::string& torch, const io::TargetDisk& disk) {
  std::optional<io::InputFile> file =
      llvm::expectedToOptional(disk.openText(joined(torch, "version.py")));
  return file ? textOf(file->bytes()).str() : std::string();
}

std::optional<TorchInstall> torchIn(const std::string& site, const io::TargetDisk& disk) {
  std::string folder = joined(site, "torch");
  if (!disk.isFolder(folder))
    return std::nullopt;
  TorchInstall torch;
  torch.site = site;
  std::vector<env::Distribution> found = env::distributionsOf("torch", site, disk);
  // Without a .dist-info, the version is only in version.py.
  torch.build = recipe::torchBuildOf(found.empty() ? "" : found.front().version,
                                     versionSourceOf(folder, disk));
  torch.version = torch.build.version;
  torch.distInfo = found.empty() ? "" : found.front().entry;
  if (std::optional<std::string> lib = disk.find(folder, "lib"); lib && disk.isFolder(*lib))
    torch.libFolder = *lib;
  return torch;
}

} // namespace

std::optional<TorchInstall> findTorch(const env::Environment& environment,
                                      const io::TargetDisk& disk, llvm::StringRef site) {
  if (std::optional<TorchInstall> torch = torchIn(site.str(), disk))
    return torch;
  for (const env::Site& other : environment.sites)
    if (other.folder != site)
      if (std::optional<TorchInstall> torch = torchIn(other.folder, disk))
        return torch;
  return std::nullopt;
}

bool isTorchLibrary(llvm::StringRef dependency) {
  std::string lower = baseName(dependency).lower();
  llvm::StringRef name = lower;
  if (!name.consume_front("lib") && !name.ends_with(".dll"))
    return false;
  return (name.consume_front("torch") || name.consume_front("c10")) &&
         (name.starts_with(".") || name.starts_with("_"));
}

} // namespace tcfix::providers
