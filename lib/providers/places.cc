#include "providers/places.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::providers {

std::vector<std::string> homebrewPrefixes(llvm::StringRef arch) {
  std::vector<std::string> prefixes = {kHomebrewPrefix.str(), kIntelHomebrewPrefix.str()};
  if (arch == "x86_64")
    std::swap(prefixes[0], prefixes[1]);
  return prefixes;
}

std::vector<std::string> findOtherFolders(const env::Target& target, const env::Package& package) {
  const io::TargetDisk& disk = target.disk;
  const bool isWindows = target.platform == Format::Pe;
  std::vector<std::string> folders;
  auto add = [&](const std::string& folder) {
    if (!llvm::is_contained(folders, folder) && disk.isFolder(folder))
      folders.push_back(folder);
  };
  for (const std::string& library : package.grafted)
    add(llvm::sys::path::parent_path(library).str());
  for (const env::Site& one : target.environment.sites) {
    std::string nvidia = one.folder + "/nvidia";
    for (const std::string& part : disk.list(nvidia))
      add(nvidia + "/" + part + (isWindows ? "/bin" : "/lib"));
  }
  if (!target.environment.condaMeta.empty())
    add(target.environment.whole + (isWindows ? "/Library/bin" : "/lib"));
  if (target.platform == Format::MachO) {
    std::vector<std::string> prefixes = homebrewPrefixes(target.arch);
    prefixes.push_back(kMacPortsPrefix.str());
    for (const std::string& prefix : prefixes)
      if (std::optional<std::string> folder = disk.hostPath(prefix + "/lib"))
        add(*folder);
  }
  return folders;
}

std::vector<std::string> findDllFolders(const env::Target& target, const env::Package& package,
                                        llvm::ArrayRef<std::string> otherFolders) {
  std::vector<std::string> folders;
  for (llvm::StringRef folder : otherFolders)
    if (folder.ends_with(".libs"))
      folders.push_back(folder.str());
  // It has the name of the distribution, which the package's directory has as a rule: nothing else
  // is known about a library that was named on its own.
  for (llvm::StringRef library : package.libraries) {
    if (!library.consume_front(package.site) || !library.consume_front("/"))
      continue;
    std::string beside = package.site + "/" + library.split('/').first.str() + ".libs";
    if (!llvm::is_contained(folders, beside) && target.disk.isFolder(beside))
      folders.push_back(std::move(beside));
  }
  return folders;
}

} // namespace tcfix::providers
