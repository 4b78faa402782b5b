#include "providers/places.h"

#include "base/paths.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::providers {

std::vector<std::string> homebrewPrefixes(llvm::StringRef arch) {
  std::vector<std::string> prefixes = {kHomebrewPrefix.str(), kIntelHomebrewPrefix.str()};
  if (arch == "x86_64")
    std::swap(prefixes[0], prefixes[1]);
  return prefixes;
}

// Relative paths are relative to the current directory, but only if the target is this machine.
std::optional<std::string> namedFolder(llvm::StringRef typed, const io::TargetDisk& disk) {
  namespace path = llvm::sys::path;
  if (disk.options().sysroot.empty()) {
    llvm::SmallString<256> absolute(io::absolutePath(typed));
    path::remove_dots(absolute);
    if (!io::exists(absolute))
      return std::nullopt;
    // The path must not depend on directories that ".." leaves again.
    llvm::SmallString<256> direct(absolute);
    path::remove_dots(direct, /*remove_dot_dot=*/true);
    return (io::isSameFile(direct, absolute) ? direct : absolute).str().str();
  }
  std::optional<std::string> host = disk.hostPath(typed);
  return host && disk.realPath(*host) ? host : std::nullopt;
}

std::vector<FolderMatch> foldersMatching(const std::string& pattern, const io::TargetDisk& disk) {
  llvm::StringRef text = pattern;
  size_t star = text.find('*');
  if (star == llvm::StringRef::npos) {
    std::optional<std::string> folder = disk.hostPath(pattern);
    if (folder && disk.isFolder(*folder))
      return {{pattern, *folder, {}}};
    return {};
  }
  const char* separators = disk.options().isWindows ? "\\/" : "/";
  size_t begin = text.take_front(star).find_last_of(separators) + 1;
  size_t end = std::min(text.find_first_of(separators, star), text.size());
  std::optional<std::string> folder = disk.hostPath(text.take_front(begin));
  if (!folder)
    return {};
  auto [front, back] = text.slice(begin, end).split('*');
  std::vector<FolderMatch> matches;
  for (const std::string& name : disk.list(*folder)) {
    if (!llvm::StringRef(name).starts_with(front) ||
        !llvm::StringRef(name).drop_front(front.size()).ends_with(back))
      continue;
    const std::string matched = (text.take_front(begin) + name + text.drop_front(end)).str();
    for (FolderMatch& match : foldersMatching(matched, disk)) {
      match.names.insert(match.names.begin(), name);
      matches.push_back(std::move(match));
    }
  }
  return matches;
}

std::vector<std::string> findOtherFolders(const env::Target& target, const env::Package& package) {
  const io::TargetDisk& disk = target.disk;
  const bool isWindows = target.platform == Platform::Windows;
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
  if (target.platform == Platform::MacOs) {
    std::vector<std::string> prefixes = homebrewPrefixes(target.arch);
    prefixes.push_back(kMacPortsPrefix.str());
    for (const std::string& prefix : prefixes)
      if (std::optional<std::string> folder = disk.hostPath(prefix + "/lib"))
        add(*folder);
  }
  return folders;
}

namespace {

/// How deep below a package's folder directories with DLLs are looked for: PyQt6/Qt6/bin.
constexpr int kDllLevels = 3;

void addFoldersWithDlls(const std::string& folder, int levels, const io::TargetDisk& disk,
                        std::vector<std::string>& folders) {
  bool hasDlls = false;
  for (const std::string& name : disk.list(folder)) {
    hasDlls |= llvm::StringRef(name).ends_with_insensitive(".dll");
    if (levels > 0 && !llvm::StringRef(name).contains('.') && disk.isFolder(folder + "/" + name))
      addFoldersWithDlls(folder + "/" + name, levels - 1, disk, folders);
  }
  if (hasDlls && !llvm::is_contained(folders, folder))
    folders.push_back(folder);
}

/// The directories that a package's code adds to the search on Windows: its own, and those of other
/// packages in its code, such as shiboken6 in PySide6. The code decides at run time, so any of them
/// may be used.
void addNamedInCode(const std::string& site, const std::string& package, const io::TargetDisk& disk,
                    std::vector<std::string>& folders) {
  std::string text;
  for (const char* file : {"/__init__.py", "/_distributor_init.py"})
    if (std::optional<io::InputFile> code =
            llvm::expectedToOptional(disk.open(site + "/" + package + file)))
      text += textOf(code->bytes());
  if (!llvm::StringRef(text).contains("add_dll_directory"))
    return;
  addFoldersWithDlls(site + "/" + package, kDllLevels, disk, folders);
  for (const std::string& other : disk.list(site))
    if (other.size() > 2 && !llvm::StringRef(other).contains('.') && other != package &&
        llvm::StringRef(text).contains(other))
      addFoldersWithDlls(site + "/" + other, 0, disk, folders);
}

} // namespace

std::vector<std::string> findDllFolders(const env::Target& target, const env::Package& package,
                                        llvm::ArrayRef<std::string> otherFolders) {
  std::vector<std::string> folders;
  for (llvm::StringRef folder : otherFolders)
    if (folder.ends_with(".libs"))
      folders.push_back(folder.str());
  // It is named after the distribution, usually like the package's directory: nothing else is known
  // about a library that was named directly.
  std::set<std::string> tops;
  for (llvm::StringRef library : package.libraries)
    if (isWithin(library, package.site))
      tops.insert(llvm::StringRef(relativePath(package.site, library)).split('/').first.str());
  for (const std::string& top : tops) {
    std::string beside = package.site + "/" + top + ".libs";
    if (!llvm::is_contained(folders, beside) && target.disk.isFolder(beside))
      folders.push_back(std::move(beside));
    if (package.recipe.isJudgedByModules)
      addNamedInCode(package.site, top, target.disk, folders);
  }
  return folders;
}

} // namespace tcfix::providers
