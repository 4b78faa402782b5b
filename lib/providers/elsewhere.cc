#include "providers/elsewhere.h"

#include "base/paths.h"
#include "formats/formats.h"
#include "io/host.h"
#include "providers/places.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::providers {

namespace {

/// How deep packages are searched: package/subpackage/lib.
constexpr int kMaxDepth = 3;

std::vector<std::string> usualPatterns(Platform platform, llvm::StringRef arch) {
  switch (platform) {
  case Platform::MacOs: {
    std::vector<std::string> patterns;
    for (const std::string& prefix : homebrewPrefixes(arch))
      llvm::append_values(patterns, prefix + "/lib", prefix + "/opt/*/lib");
    patterns.push_back(kMacPortsPrefix.str() + "/lib");
    return patterns;
  }
  case Platform::Linux:
    return {"/usr/local/lib",
            "/usr/local/lib64",
            "/opt/*/lib",
            "/opt/*/lib64",
            "/usr/local/*/lib",
            "/usr/local/*/lib64",
            "/usr/lib/*-linux-gnu/*",
            (kLinuxHomebrewPrefix + "/lib").str()};
  case Platform::Windows:
    return {"C:\\Program Files\\*\\bin", "C:\\Program Files\\*\\lib", "C:\\*\\bin"};
  }
  return {};
}

class ElsewhereSearch {
public:
  ElsewhereSearch(llvm::StringRef name, llvm::StringRef arch, const env::Target& target)
      : name(name), arch(arch), target(target), disk(target.disk) {}

  void look(const std::string& folder) {
    std::optional<std::string> file = disk.find(folder, name);
    if (file && !llvm::is_contained(found, folder) && isUsable(*file))
      found.push_back(folder);
  }

  void lookBelow(const std::string& folder, int depth = 0) {
    look(folder);
    if (depth < kMaxDepth)
      for (const std::string& entry : disk.list(folder))
        if (std::string below = joined(folder, entry);
            !entry.empty() && entry != "__pycache__" && disk.isFolder(below))
          lookBelow(below, depth + 1);
  }

  std::vector<std::string> found;

private:
  bool isUsable(const std::string& path) const {
    std::optional<io::InputFile> file = llvm::expectedToOptional(disk.open(path));
    if (!file)
      return false;
    std::optional<Image> image =
        llvm::expectedToOptional(formats::inspect(file->bytes(), {.isThorough = false}));
    return image && platformOf(image->format) == target.platform &&
           (arch.empty() ||
            llvm::any_of(image->slices, [&](const Slice& slice) { return slice.arch == arch; }));
  }

  const llvm::StringRef name, arch;
  const env::Target& target;
  const io::TargetDisk& disk;
};

} // namespace

std::vector<std::string> findElsewhere(llvm::StringRef name, llvm::StringRef arch,
                                       const env::Target& target) {
  ElsewhereSearch search(name, arch, target);
  for (const env::Site& site : target.environment.sites)
    if (site.kind == env::SiteKind::Own)
      search.lookBelow(site.folder);
  for (const char* below : {"lib", "lib64", "Library/bin"})
    search.look(joined(target.environment.whole, below));
  if (!target.disk.knowsAbsolutePaths())
    return search.found;
  std::vector<std::string> patterns = usualPatterns(target.platform, arch);
  std::optional<std::string> home = io::environmentVariable("HOME");
  if (home && target.disk.options().sysroot.empty())
    llvm::append_values(patterns, *home + "/.local/lib", *home + "/lib");
  for (const std::string& pattern : patterns)
    for (const FolderMatch& match : foldersMatching(pattern, target.disk))
      search.look(match.folder);
  return search.found;
}

} // namespace tcfix::providers
