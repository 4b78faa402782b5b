#include "providers/ffmpeg_places.h"

#include "base/paths.h"
#include "providers/places.h"
#include "resolve/ld_cache.h"
#include "resolve/ld_so_places.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::providers {

namespace path = llvm::sys::path;

namespace {

std::string variable(const FfmpegQuery& query, const char* name) {
  auto found = query.variables.find(name);
  return found == query.variables.end() ? std::string() : found->second;
}

class PlaceList {
public:
  explicit PlaceList(const io::TargetDisk& disk) : disk(disk) {}

  /// Adds every directory that matches.
  void add(FfmpegSource source, const std::string& pattern, const std::string& description,
           const std::string& prefix = {}, const std::string& defect = {}) {
    for (const FolderMatch& match : foldersMatching(pattern, disk)) {
      std::string words = description;
      for (const std::string& name : match.names)
        words += (words.empty() ? "" : " ") + name;
      places.push_back(
          {source, match.folder, words, prefix.empty() ? match.targetPath : prefix, defect});
    }
  }

  /// A Homebrew prefix: its lib, then kegs that are not linked into it.
  void addHomebrew(const std::string& prefix) {
    std::optional<std::string> host = disk.hostPath(prefix);
    // Other software uses this prefix as well.
    bool isShared = prefix == kIntelHomebrewPrefix;
    if (!host || (isShared && !disk.isFolder(joined(*host, "opt"))))
      return;
    add(FfmpegSource::Homebrew, prefix + "/lib", "Homebrew", prefix);
    add(FfmpegSource::Homebrew, prefix + "/opt/ffmpeg*/lib", "Homebrew keg", prefix);
  }

  std::vector<FfmpegPlace> places;
  const io::TargetDisk& disk;
};

void addMacPlaces(PlaceList& list, const FfmpegQuery& query) {
  std::vector<std::string> prefixes = homebrewPrefixes(query.arch);
  if (std::string given = variable(query, "HOMEBREW_PREFIX"); !given.empty())
    prefixes.insert(prefixes.begin(), given);
  for (const std::string& prefix : prefixes)
    list.addHomebrew(prefix);
  list.add(FfmpegSource::System, "/usr/local/lib", "/usr/local/lib");
  const std::string ports = kMacPortsPrefix.str();
  list.add(FfmpegSource::MacPorts, ports + "/libexec/ffmpeg*/lib", "MacPorts", ports);
  list.add(FfmpegSource::MacPorts, ports + "/lib", "MacPorts", ports);
}

/// The directories of an avcodec that is in ld.so.cache.
void addCachedPlaces(PlaceList& list, const FfmpegQuery& query) {
  std::optional<resolve::LdCache> cache = resolve::readLdCache(list.disk);
  if (!cache)
    return;
  for (const resolve::LdCacheEntry& entry : cache->entries)
    if (entry.name.starts_with("libavcodec.so.") && entry.isFor(query.arch))
      list.add(FfmpegSource::System, path::parent_path(entry.path, path::Style::posix).str(),
               "the system's");
}

void addLinuxPlaces(PlaceList& list, const FfmpegQuery& query) {
  addCachedPlaces(list, query);
  if (std::string multiarch = resolve::multiarchFolder(query.arch); !multiarch.empty())
    for (const char* root : {"/usr/lib/", "/lib/", "/usr/local/lib/"})
      list.add(FfmpegSource::System, root + multiarch, "the system's");
  for (const char* folder :
       {"/usr/lib64", "/lib64", "/usr/lib", "/lib", "/usr/local/lib64", "/usr/local/lib"})
    list.add(FfmpegSource::System, folder, "the system's");
  if (std::string given = variable(query, "HOMEBREW_PREFIX"); !given.empty())
    list.addHomebrew(given);
  list.addHomebrew(kLinuxHomebrewPrefix.str());
  std::string home = variable(query, "HOME");
  if (!home.empty())
    list.addHomebrew(home + "/.linuxbrew");
  list.add(FfmpegSource::Folder, "/usr/lib/jellyfin-ffmpeg/lib", "Jellyfin's");
  // These paths change with the user's profile, and the libraries there use their own C library.
  const char* nix = "belongs to Nix, whose libraries use another glibc than this Python";
  list.add(FfmpegSource::Folder, "/run/current-system/sw/lib", "Nix", {}, nix);
  if (!home.empty())
    list.add(FfmpegSource::Folder, home + "/.nix-profile/lib", "Nix", {}, nix);
  const char* snap = "belongs to a snap, and only the snap's own programs can use it";
  list.add(FfmpegSource::Folder, "/snap/ffmpeg/current/usr/lib/*-linux-gnu", "snap", {}, snap);
}

void addWindowsPlaces(PlaceList& list, const FfmpegQuery& query) {
  auto add = [&](const std::string& pattern, const char* description) {
    list.add(FfmpegSource::Folder, pattern, description);
  };
  // Without the user's variables, as under a sysroot: every user's directory and the default
  // locations.
  auto orUsual = [&](const char* name, const char* usual) {
    std::string value = variable(query, name);
    return value.empty() ? std::string(usual) : value;
  };
  if (std::string given = variable(query, "FFMPEG_SHARED_BIN"); !given.empty())
    add(given, "FFMPEG_SHARED_BIN");
  add(R"(C:\Tools\ffmpeg-shared\bin)", "ffmpeg-shared");
  add(R"(C:\ffmpeg\bin)", "C:\\ffmpeg");
  add(orUsual("LOCALAPPDATA", R"(C:\Users\*\AppData\Local)") +
          R"(\Microsoft\WinGet\Packages\Gyan.FFmpeg.Shared_*\*\bin)",
      "winget");
  add(orUsual("ChocolateyInstall", R"(C:\ProgramData\chocolatey)") +
          R"(\lib\ffmpeg-shared\tools\*\bin)",
      "Chocolatey");
  add(orUsual("SCOOP", (orUsual("USERPROFILE", R"(C:\Users\*)") + R"(\scoop)").c_str()) +
          R"(\apps\ffmpeg-shared\current\bin)",
      "Scoop");
  add(orUsual("VCPKG_ROOT", R"(C:\vcpkg)") + R"(\installed\x64-windows\bin)", "vcpkg");
}

} // namespace

std::string lastingPath(const std::string& hostFolder, const io::TargetDisk& disk) {
  std::string target = disk.targetPath(hostFolder);
  auto [prefix, rest] = llvm::StringRef(target).split("/Cellar/");
  auto [name, versionAndRest] = rest.split('/');
  llvm::StringRef below = versionAndRest.split('/').second;
  std::optional<std::string> opt = disk.hostPath((prefix + "/opt/" + name + "/" + below).str());
  if (rest.empty() || !opt)
    return hostFolder;
  std::optional<std::string> real = disk.realPath(*opt);
  return real && real == disk.realPath(hostFolder) ? *opt : hostFolder;
}

std::vector<FfmpegPlace> systemPlaces(const io::TargetDisk& disk, const FfmpegQuery& query) {
  PlaceList list(disk);
  switch (query.platform) {
  case Platform::MacOs:
    addMacPlaces(list, query);
    break;
  case Platform::Linux:
    addLinuxPlaces(list, query);
    break;
  case Platform::Windows:
    addWindowsPlaces(list, query);
    break;
  }
  if (std::optional<FfmpegPlace> program = programPlace(disk, query)) {
    // On Windows the libraries are in the program's directory, elsewhere in ../lib.
    if (query.platform == Platform::Windows)
      list.places.push_back(*program);
    else if (std::optional<std::string> lib = disk.find(program->folder, "../lib"))
      list.places.push_back(
          {program->source, lastingPath(*lib, disk), program->description, *lib, {}});
  }
  return std::move(list.places);
}

std::optional<FfmpegPlace> programPlace(const io::TargetDisk& disk, const FfmpegQuery& query) {
  bool isWindows = query.platform == Platform::Windows;
  llvm::SmallVector<llvm::StringRef, 32> folders;
  std::string value = variable(query, "PATH");
  llvm::StringRef(value).split(folders, isWindows ? ';' : ':', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef each : folders) {
    std::optional<std::string> folder = disk.hostPath(each);
    if (folder && disk.find(*folder, isWindows ? "ffmpeg.exe" : "ffmpeg"))
      return FfmpegPlace{FfmpegSource::Folder, *folder, "on PATH", *folder, {}};
  }
  return std::nullopt;
}

} // namespace tcfix::providers
