// What commands depend on: the machine, the installer, and which packages may be replaced.
#include "doctor/rules.h"

#include "env/origin.h"

#include <llvm/Support/Path.h>

namespace tcfix::doctor {

std::string ExaminedPackage::pythonVersion() const {
  for (const env::Site& site : found.environment.sites)
    if (site.folder == facts.package.site && !site.pythonVersion.empty())
      return site.pythonVersion;
  for (const env::Python& python : found.environment.pythons)
    if (!python.version.empty())
      return python.version;
  return {};
}

recipe::TorchBuild ExaminedPackage::torchBuild() const {
  if (!facts.torch)
    return {};
  recipe::TorchBuild build = facts.torch->build.version.empty()
                                 ? recipe::torchBuildOf(facts.torch->version)
                                 : facts.torch->build;
  auto isForCuda = [](llvm::StringRef name) { return name.contains("c10_cuda"); };
  if (!build.cudaMajor && llvm::none_of(facts.torchNames, isForCuda))
    build.cudaMajor = 0;
  return build;
}

FindingContext ExaminedPackage::context() const {
  const env::Package& installed = facts.package;
  FindingContext context;
  context.machine = {facts.platform, facts.process.arch, pythonVersion()};
  context.installer = env::installerOf(found.environment, installed.site, found.disk);
  context.environment = found.environment.path;
  context.package = installed.name;
  context.release = installed.version;
  context.torch = torchBuild();
  context.applyCommand = applyCommand;
  context.canReplace = env::isFromIndex(installed.distInfo, installed.version, found.disk) &&
                       installed.outward.empty();
  context.isFromConda =
      !installed.condaMeta.empty() || env::isFromConda(installed.distInfo, found.disk);
  if (facts.torch)
    context.canReplaceTorch =
        env::isFromIndex(facts.torch->distInfo, facts.torch->version, found.disk) &&
        !env::isFromConda(facts.torch->distInfo, found.disk);
  context.runCommand = runCommand;
  context.versions = installed.name + " " + installed.version +
                     (facts.torch ? ", torch " + facts.torch->version : "") + ", " +
                     llvm::sys::path::filename(facts.process.executable).str() + ", " +
                     nameOf(facts.platform).str() + " " + facts.process.arch;
  return context;
}

} // namespace tcfix::doctor
