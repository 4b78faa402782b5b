// torch: by its place beside the package, never by its list of 20,000 files.
#include "env/distribution.h"
#include "env/package.h"
#include "env/prefix.h"

namespace tcfix::env {

namespace {

/// What torch/version.py says; for a torch that no installer put there.
std::string versionInSource(const std::string& torch, const io::TargetDisk& disk) {
  llvm::Expected<io::InputFile> file = disk.open(joined(torch, "version.py"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  llvm::StringRef rest = textOf(file->bytes());
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.consume_front("__version__ ="))
      return line.trim().trim("'\"").str();
  }
  return {};
}

std::optional<TorchInstall> torchIn(const std::string& site, const io::TargetDisk& disk) {
  std::string folder = joined(site, "torch");
  if (!disk.isFolder(folder))
    return std::nullopt;
  TorchInstall torch;
  torch.site = site;
  std::vector<Distribution> found = distributionsOf("torch", site, disk);
  torch.version = found.empty() ? versionInSource(folder, disk) : found.front().version;
  if (std::optional<std::string> lib = disk.find(folder, "lib"); lib && disk.isFolder(*lib))
    torch.libFolder = *lib;
  return torch;
}

} // namespace

std::optional<TorchInstall> findTorch(const Environment& environment, const io::TargetDisk& disk,
                                      llvm::StringRef site) {
  if (std::optional<TorchInstall> torch = torchIn(site.str(), disk))
    return torch;
  for (const Site& other : environment.sites)
    if (other.folder != site)
      if (std::optional<TorchInstall> torch = torchIn(other.folder, disk))
        return torch;
  return std::nullopt;
}

} // namespace tcfix::env
