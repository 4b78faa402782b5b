// The surroundings of the package: another package of the same name, another FFmpeg, a RECORD with
// other hashes.
#include "doctor/rules.h"

#include "base/paths.h"
#include "env/distribution.h"
#include "env/record.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::doctor {

using Kind = Defect::Kind;

namespace {

void findShadows(const ExaminedPackage& package, Defects& defects) {
  const env::Package& installed = package.facts.package;
  const io::TargetDisk& disk = package.found.disk;
  Defect defect{Kind::Shadowed, installed.site};
  for (const env::Site& site : package.found.environment.sites)
    if (site.folder != installed.site && disk.isFolder(site.folder + "/" + installed.name))
      defect.items.push_back(site.folder);
  // Only if this process's variables are the target's.
  if (disk.options().sysroot.empty() && disk.knowsAbsolutePaths())
    if (std::optional<std::string> path = io::environmentVariable("PYTHONPATH"))
      for (llvm::StringRef folder : llvm::split(*path, io::kPathListSeparator))
        if (!folder.empty() && disk.isFolder((folder + "/" + installed.name).str()))
          defect.items.push_back("PYTHONPATH: " + folder.str());
  if (!defect.items.empty())
    defects.push_back(std::move(defect));
}

/// Another torch that Python may find, or parts of another version in the same directory.
void findTwoTorches(const ExaminedPackage& package, Defects& defects) {
  const std::optional<providers::TorchInstall>& torch = package.facts.torch;
  const io::TargetDisk& disk = package.found.disk;
  if (!torch || !package.recipe().importsTorch)
    return;
  Defect defect{Kind::TwoTorches, torch->libFolder, "same"};
  for (const env::Distribution& each : env::distributionsOf("torch", torch->site, disk))
    if (each.version != torch->version)
      defect.items.push_back(each.version);
  if (defect.items.empty()) {
    defect.name.clear();
    for (const env::Site& site : package.found.environment.sites)
      if (site.folder != torch->site && disk.isFolder(site.folder + "/torch"))
        for (const env::Distribution& each : env::distributionsOf("torch", site.folder, disk))
          if (each.version != torch->version)
            defect.items.push_back(each.version + " in " + disk.targetPath(site.folder));
  }
  if (!defect.items.empty())
    defects.push_back(std::move(defect));
}

/// Plugins: distributions that the package loads when it is imported, found by their entry points.
void findPlugins(const ExaminedPackage& package, Defects& defects) {
  const env::Package& installed = package.facts.package;
  const std::optional<Version> release = parseVersion(installed.version);
  if (package.recipe().pluginGroup.empty() || !release)
    return;
  const std::string heading = "[" + package.recipe().pluginGroup + "]";
  for (env::Distribution& each : env::distributionsIn(installed.site, package.found.disk)) {
    if (!llvm::StringRef(each.name).starts_with_insensitive(installed.name))
      continue; // reading all of them would be slow
    std::optional<io::InputFile> file =
        llvm::expectedToOptional(package.found.disk.openText(each.entry + "/entry_points.txt"));
    const std::optional<Version> version = parseVersion(each.version);
    if (!file || !textOf(file->bytes()).contains(heading) || !version || *version == *release)
      continue;
    env::readMetadata(each, package.found.disk);
    defects.push_back({Kind::PluginMismatch, each.entry, each.name, each.version});
  }
}

void findTwoFfmpegs(const ExaminedPackage& package, Defects& defects) {
  for (const GroupReport& group : package.groups) {
    if (group.loads != resolve::Verdict::Loads || group.ffmpegFolder.empty())
      continue;
    for (const providers::FfmpegInstall& install : package.facts.ffmpegs)
      if (install.source == providers::FfmpegSource::Pyav && install.defect.empty() &&
          install.folder != group.ffmpegFolder)
        defects.push_back({Kind::TwoFfmpegs, install.folder,
                           package.found.disk.targetPath(group.ffmpegFolder), install.description});
    return; // only the first major that loads is used
  }
}

void findStaleRecord(const ExaminedPackage& package, Defects& defects) {
  const env::Package& installed = package.facts.package;
  if (!installed.hasRecord || package.isOneOfAll) // hashing all of them is slow
    return;
  llvm::Expected<io::InputFile> file = package.found.disk.openText(installed.distInfo + "/RECORD");
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  llvm::Expected<env::Record> record = env::Record::parse(textOf(file->bytes()));
  if (!record) {
    llvm::consumeError(record.takeError()); // reported with the package
    return;
  }
  std::vector<std::string> differing;
  for (const survey::LibraryFacts& library : package.facts.libraries) {
    if (!isWithin(library.path, installed.site))
      continue;
    const env::RecordRow* row = record->find(relativePath(installed.site, library.path));
    llvm::Expected<io::InputFile> content = package.found.disk.open(library.path);
    if (!content) {
      llvm::consumeError(content.takeError());
      continue;
    }
    if (row && llvm::StringRef(row->digest).starts_with("sha256=") &&
        !env::hasListedContent(*row, content->bytes()))
      differing.push_back(library.name);
  }
  if (differing.empty())
    return;
  Defect defect{Kind::RecordMismatch, installed.distInfo + "/RECORD"};
  defect.items = std::move(differing);
  defect.isCause = !package.loads;
  defect.isRepairable = io::exists(installed.distInfo + "/tcfix-journal.json");
  defects.push_back(std::move(defect));
}

} // namespace

void findSurroundings(const ExaminedPackage& package, Defects& defects) {
  findShadows(package, defects);
  findTwoTorches(package, defects);
  findPlugins(package, defects);
  findTwoFfmpegs(package, defects);
  findStaleRecord(package, defects);
}

} // namespace tcfix::doctor
