#include "providers/ffmpeg.h"

#include "base/enum_name.h"
#include "base/paths.h"
#include "env/distribution.h"
#include "formats/formats.h"
#include "io/host.h"
#include "providers/ffmpeg_places.h"
#include "providers/places.h"
#include "resolve/ld_so_places.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::providers {

namespace path = llvm::sys::path;

namespace {

/// The parts of FFmpeg in a directory.
struct Contents {
  FfmpegFiles files;
  bool hasStatic = false;
  bool hasProgram = false;
};

Contents look(const std::string& folder, const io::TargetDisk& disk) {
  Contents contents;
  for (const std::string& name : disk.list(folder)) {
    contents.hasStatic |= name == "libavcodec.a" || name == "avcodec.lib";
    contents.hasProgram |=
        name == "ffmpeg" || llvm::StringRef(name).equals_insensitive("ffmpeg.exe");
    if (parseFfmpegName(name) && disk.isFile(joined(folder, name)))
      contents.files.add(name);
  }
  return contents;
}

/// Checks that avcodec is a library for the platform and this architecture.
void checkArchitecture(const io::TargetDisk& disk, const FfmpegQuery& query,
                       FfmpegInstall& install) {
  llvm::Expected<io::InputFile> file = disk.open(joined(install.folder, install.files["avcodec"]));
  if (!file) {
    install.defect = install.files["avcodec"] + " " + llvm::toString(file.takeError());
    return;
  }
  llvm::Expected<Image> image = formats::inspect(file->bytes(), {.isThorough = false});
  if (!image) {
    install.defect = install.files["avcodec"] + " " + llvm::toString(image.takeError());
    return;
  }
  if (image->format != formatOf(query.platform)) {
    install.defect = ("is " + formats::nameOf(image->format) + ", not " +
                      formats::nameOf(formatOf(query.platform)))
                         .str();
    return;
  }
  std::vector<std::string> archs;
  for (const Slice& slice : image->slices)
    archs.push_back(slice.arch);
  install.arch = llvm::is_contained(archs, query.arch) ? query.arch : llvm::join(archs, ", ");
  if (!query.arch.empty() && install.arch != query.arch)
    install.defect = "is for " + install.arch + ", not " + query.arch;
}

FfmpegInstall installAt(const FfmpegPlace& place, const io::TargetDisk& disk) {
  FfmpegInstall install;
  install.source = place.source;
  install.folder = place.folder;
  install.searchPath = disk.targetPath(place.folder);
  install.description = place.description;
  install.defect = place.defect;
  return install;
}

/// One install for each major in a directory; the highest first.
std::vector<FfmpegInstall> installsIn(const FfmpegPlace& place, const Contents& contents,
                                      const io::TargetDisk& disk, const FfmpegQuery& query) {
  std::vector<FfmpegInstall> installs;
  for (const auto& [key, name] : contents.files.names) {
    std::optional<int> major = ffmpegMajorOf({key.first, key.second});
    if (key.first != "avcodec" || !major)
      continue;
    FfmpegInstall install = installAt(place, disk);
    install.major = *major;
    std::vector<std::string> missing;
    for (llvm::StringRef component : ffmpegComponents()) {
      auto file = contents.files.names.find({component.str(), libraryMajorIn(*major, component)});
      if (file == contents.files.names.end())
        missing.push_back(component.str());
      else
        install.files[component.str()] = file->second;
    }
    if (install.defect.empty())
      checkArchitecture(disk, query, install);
    if (install.defect.empty() && !missing.empty())
      install.defect = llvm::join(missing, ", ") + " not found";
    installs.push_back(std::move(install));
  }
  std::reverse(installs.begin(), installs.end());
  return installs;
}

/// The defect of a directory without shared libraries; empty if it has no part of FFmpeg.
std::string defectWithoutLibraries(const Contents& contents) {
  if (contents.hasStatic)
    return "static libraries only: libavcodec.a, but no shared libraries";
  return contents.hasProgram ? "ffmpeg program without shared libraries" : "";
}

class Search {
public:
  Search(const env::Environment& environment, const io::TargetDisk& disk, const FfmpegQuery& query)
      : environment(environment), disk(disk), query(query) {}

  /// A directory that the user named: itself, or the directory of its prefix that has the
  /// libraries.
  void addGiven(FfmpegSource source, llvm::StringRef typed) {
    FfmpegPlace place{source, {}, typed.str(), {}, {}};
    std::optional<std::string> folder = namedFolder(typed, disk);
    if (!folder) {
      FfmpegInstall install;
      install.source = source;
      install.searchPath = typed.str();
      install.description = typed.str();
      install.isOnTrust = !disk.knowsAbsolutePaths();
      install.defect = install.isOnTrust ? "" : "no such directory";
      found.push_back(std::move(install));
      return;
    }
    if (!disk.isFolder(*folder)) // the ffmpeg program itself
      folder = path::parent_path(*folder).str();
    std::string defect;
    const std::vector<std::string> usual = {
        "",    "lib",         "lib64",  "lib/" + resolve::multiarchFolder(query.arch),
        "bin", "Library/bin", "../lib", "../bin"};
    for (const std::string& below : usual) {
      std::optional<std::string> candidate = disk.find(*folder, below);
      if (!candidate || !disk.isFolder(*candidate))
        continue;
      Contents contents = look(*candidate, disk);
      place.folder = lastingPath(*candidate, disk);
      std::vector<FfmpegInstall> installs = installsIn(place, contents, disk, query);
      if (!installs.empty()) {
        seenFolders.insert(disk.realPath(place.folder).value_or(place.folder));
        llvm::append_range(found, installs);
        return;
      }
      if (defect.empty())
        defect = defectWithoutLibraries(contents);
    }
    place.folder = *folder;
    addDefective(place, defect.empty() ? "contains no FFmpeg libraries" : defect);
  }

  /// A directory named with --search.
  void addSearched(const std::string& folder) {
    addPlace({FfmpegSource::Search, lastingPath(folder, disk), disk.targetPath(folder), folder, {}},
             isWithin(folder, environment.whole));
  }

  /// `isInside`: inside the environment, so search paths to it are relative.
  void addPlace(const FfmpegPlace& place, bool isInside = false) {
    const size_t before = found.size();
    // The same directory may have several names: /lib and /usr/lib, or a keg and its alias.
    if (!seenFolders.insert(disk.realPath(place.folder).value_or(place.folder)).second)
      return;
    Contents contents = look(place.folder, disk);
    std::vector<FfmpegInstall> installs = installsIn(place, contents, disk, query);
    for (FfmpegInstall& install : installs) {
      if (offered.count({place.prefix, install.major}))
        continue;
      if (install.defect.empty())
        offered.insert({place.prefix, install.major});
      found.push_back(std::move(install));
    }
    if (std::string defect = defectWithoutLibraries(contents); installs.empty() && !defect.empty())
      addDefective(place, defect);
    for (size_t i = before; i < found.size() && isInside; ++i)
      found[i].searchPath.clear();
  }

  /// The conda environment itself; for a virtual environment based on conda, that installation.
  void addConda() {
    const char* libraries = query.platform == Platform::Windows ? "Library/bin" : "lib";
    std::string own = path::parent_path(environment.condaMeta).str();
    std::vector<std::string> prefixes;
    if (!own.empty())
      prefixes.push_back(own);
    for (const env::Python& python : environment.pythons)
      if (!python.basePrefix.empty() && disk.isFolder(joined(python.basePrefix, "conda-meta")))
        prefixes.push_back(python.basePrefix);
    for (const std::string& prefix : prefixes)
      if (std::optional<std::string> folder = disk.find(prefix, libraries))
        addPlace({FfmpegSource::Conda, *folder, "conda", prefix, {}}, prefix == environment.whole);
  }

  void addPyav() {
    for (const env::Site& site : environment.sites)
      for (const char* name : {"av.libs", "av/.dylibs"})
        if (std::optional<std::string> folder = disk.find(site.folder, name)) {
          std::vector<env::Distribution> av = env::distributionsOf("av", site.folder, disk);
          std::string description = av.empty() ? "PyAV" : "PyAV " + av.front().version;
          addPlace({FfmpegSource::Pyav, *folder, description, site.folder, {}}, true);
        }
  }

  std::vector<FfmpegInstall> found;

private:
  void addDefective(const FfmpegPlace& place, std::string defect) {
    FfmpegInstall install = installAt(place, disk);
    if (install.defect.empty())
      install.defect = std::move(defect);
    found.push_back(std::move(install));
  }

  const env::Environment& environment;
  const io::TargetDisk& disk;
  const FfmpegQuery& query;
  std::set<std::string> seenFolders;
  std::set<std::pair<std::string, int>> offered; ///< prefix and major
};

} // namespace

llvm::StringRef nameOf(FfmpegSource source) {
  return enumName<FfmpegSource::Pyav>(source, {"option", "variable", "search", "conda", "system",
                                               "homebrew", "macports", "folder", "pyav"});
}

std::map<std::string, std::string> ffmpegVariables() {
  std::map<std::string, std::string> variables;
  for (const char* name :
       {"TCFIX_FFMPEG", "HOMEBREW_PREFIX", "FFMPEG_SHARED_BIN", "PATH", "HOME", "USERPROFILE",
        "LOCALAPPDATA", "ChocolateyInstall", "SCOOP", "VCPKG_ROOT"})
    if (std::optional<std::string> value = io::environmentVariable(name))
      variables[name] = *value;
  return variables;
}

std::vector<FfmpegInstall> findFfmpegs(const env::Environment& environment,
                                       const io::TargetDisk& disk, const FfmpegQuery& query) {
  Search search(environment, disk, query);
  if (!query.option.empty())
    search.addGiven(FfmpegSource::Option, query.option);
  if (auto value = query.variables.find("TCFIX_FFMPEG");
      value != query.variables.end() && disk.knowsAbsolutePaths()) {
    llvm::SmallVector<llvm::StringRef, 4> folders;
    llvm::StringRef(value->second).split(folders, io::kPathListSeparator, -1, false);
    for (llvm::StringRef folder : folders)
      search.addGiven(FfmpegSource::Variable, folder);
  }
  for (const std::string& folder : query.searched)
    search.addSearched(folder);
  search.addConda();
  if (disk.knowsAbsolutePaths()) {
    for (const FfmpegPlace& place : systemPlaces(disk, query))
      search.addPlace(place);
    // Report a program without libraries only if there are no libraries at all.
    if (std::optional<FfmpegPlace> program = programPlace(disk, query);
        program && llvm::none_of(search.found, [](const auto& each) { return each.major > 0; }))
      search.addPlace(*program);
  }
  search.addPyav();
  llvm::stable_sort(search.found, [](const FfmpegInstall& left, const FfmpegInstall& right) {
    return left.source < right.source;
  });
  return std::move(search.found);
}

} // namespace tcfix::providers
