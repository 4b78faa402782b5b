#include "env/origin.h"

#include "base/paths.h"
#include "env/prefix.h"

namespace tcfix::env {

advice::Installer installerOf(const Environment& environment, const std::string& site,
                              const io::TargetDisk& disk) {
  if (environment.kind == EnvironmentKind::Conda)
    return llvm::StringRef(slashed(environment.root)).contains("/.pixi/envs/")
               ? advice::Installer::Pixi
               : advice::Installer::Conda;
  // Environments made by uv have no pip by default.
  const bool isUvs = readVenvConfig(environment.root, disk).count("uv") != 0;
  return isUvs && !disk.isFolder(joined(site, "pip")) ? advice::Installer::Uv
                                                      : advice::Installer::Pip;
}

bool isFromConda(const std::string& distInfo, const io::TargetDisk& disk) {
  std::optional<io::InputFile> installer;
  if (!distInfo.empty())
    installer = llvm::expectedToOptional(disk.openText(joined(distInfo, "INSTALLER")));
  return installer && textOf(installer->bytes()).trim() == "conda";
}

bool isFromIndex(const std::string& distInfo, llvm::StringRef version, const io::TargetDisk& disk) {
  const bool isLocal = version.contains('+') && recipe::torchBuildOf(version).channel.empty();
  return !distInfo.empty() && !isLocal && !disk.isFile(joined(distInfo, "direct_url.json"));
}

std::string reinstallHint(const Package& package, const io::TargetDisk& disk) {
  advice::Context context;
  context.package = package.name;
  context.release = package.version;
  context.canReplace = isFromIndex(package.distInfo, package.version, disk);
  context.isFromConda = isFromConda(package.distInfo, disk);
  const std::string command = advice::reinstallCommand(context);
  return command.empty() ? command : "reinstall it: " + command;
}

} // namespace tcfix::env
