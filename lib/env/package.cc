#include "env/package.h"

#include "base/paths.h"
#include "env/distribution.h"
#include "env/library_files.h"
#include "env/origin.h"
#include "env/prefix.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::env {

namespace path = llvm::sys::path;

namespace {

/// The number of listed libraries that exist with the listed content, minus those that do not.
int64_t agreement(const Record& record, const std::string& site, const io::TargetDisk& disk) {
  int64_t score = 0;
  for (const RecordRow& row : record.rows()) {
    if (!isLibraryName(row.path) || row.digest.empty())
      continue;
    std::optional<io::InputFile> file = llvm::expectedToOptional(disk.open(joined(site, row.path)));
    score += file && hasListedContent(row, file->bytes()) ? 1 : -1;
  }
  return score;
}

/// The distribution whose files are installed. There are several if an interrupted installer left
/// the .dist-info of the old version.
size_t chooseDistribution(llvm::ArrayRef<Distribution> found, llvm::ArrayRef<RecordFile> records,
                          const std::string& site, const io::TargetDisk& disk) {
  if (found.size() == 1)
    return 0;
  size_t best = 0;
  std::optional<int64_t> bestScore;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!records[i].record)
      continue;
    int64_t score = agreement(*records[i].record, site, disk);
    if (!bestScore || score > *bestScore) {
      best = i;
      bestScore = score;
    }
  }
  return best;
}

/// The source directory of a development install: the first line of its .pth or .egg-link file.
std::string developmentFolder(const std::string& file, const io::TargetDisk& disk) {
  std::optional<io::InputFile> input = llvm::expectedToOptional(disk.openText(file));
  if (!input)
    return {};
  llvm::StringRef line = textOf(input->bytes()).split('\n').first.trim();
  std::optional<std::string> folder = disk.hostPath(line);
  return folder && disk.isFolder(*folder) ? *folder : std::string();
}

void findOutwardFolder(const Environment& environment, const io::TargetDisk& disk,
                       const Record* record, const std::string& folder, Package& package) {
  std::string site = disk.realPath(package.site).value_or(package.site);
  std::set<std::string> folders;
  for (const std::string& library : package.libraries)
    folders.insert(path::parent_path(library).str());
  for (const std::string& each : folders)
    if (std::optional<std::string> real = disk.realPath(each);
        real && !isWithin(*real, site) && !isWithin(*real, environment.root)) {
      package.outward = *real;
      return;
    }
  if (!package.libraries.empty())
    return;
  package.outward = developmentFolder(joined(package.site, folder + ".egg-link"), disk);
  if (!record)
    return;
  for (const RecordRow& row : record->rows())
    if (package.outward.empty() && llvm::StringRef(row.path).ends_with(".pth"))
      package.outward = developmentFolder(joined(package.site, row.path), disk);
}

/// The directory that is imported: as the user spelled it (PIL), else as installers spell names.
std::string folderFor(const std::string& name, const std::string& site,
                      const io::TargetDisk& disk) {
  std::string spelled = moduleName(name);
  return disk.isFolder(joined(site, spelled)) ? spelled : moduleName(normalizedName(name));
}

/// The name to import, judging by the paths of its libraries: opencv-python contains
/// cv2/cv2.abi3.so, and a single-file module is itself a library. Names that start with "_" are
/// parts of another module.
std::string importNameOf(const Package& package, const std::string& folder,
                         const io::TargetDisk& disk) {
  if (disk.isFolder(joined(package.site, folder)))
    return folder;
  std::string name;
  for (llvm::StringRef library : package.libraries) {
    if (!library.consume_front(package.site))
      continue;
    library = library.ltrim("/\\");
    const llvm::StringRef top = library.substr(0, library.find_first_of("/\\."));
    if (!top.empty() && (name.empty() || (name.front() == '_' && top.front() != '_')))
      name = top.str();
  }
  return name;
}

/// The problem of a package that several distributions in its site claim to be.
Problem severalVersions(llvm::ArrayRef<Distribution> found, const Package& package,
                        const io::TargetDisk& disk) {
  std::vector<std::string> versions;
  for (const Distribution& each : found)
    versions.push_back(each.version);
  return {std::nullopt,
          "several versions are installed: " + llvm::join(versions, ", ") +
              "; the files are from " + (package.version.empty() ? "one of them" : package.version),
          package.site, reinstallHint(package, disk)};
}

/// Whether a directory is a namespace package, without code of its own.
bool isNamespace(const std::string& folder, const io::TargetDisk& disk) {
  return disk.isFolder(folder) && llvm::none_of(disk.list(folder), [](llvm::StringRef name) {
           return name.starts_with("__init__.");
         });
}

/// Parsing the RECORD of every package that is only Python would take long.
bool mayHaveLibraries(const Distribution& distribution, const io::TargetDisk& disk) {
  std::optional<io::InputFile> file =
      llvm::expectedToOptional(disk.open(joined(distribution.entry, "RECORD")));
  if (!file)
    return true; // found by name
  const llvm::StringRef text = textOf(file->bytes());
  return llvm::any_of(std::initializer_list<llvm::StringRef>{".so", ".dylib", ".dll", ".pyd"},
                      [&](llvm::StringRef ending) { return text.contains(ending); });
}

/// Whether a package with the same name in an earlier site is imported instead. Packages in the
/// environment itself are never hidden, since they are the target.
bool isHidden(const Package& package, const Site& site, llvm::ArrayRef<Package> earlier,
              const Environment& environment) {
  if (site.kind == SiteKind::Own)
    return false;
  return llvm::any_of(earlier, [&](const Package& other) {
    auto place =
        llvm::find_if(environment.sites, [&](const Site& one) { return one.folder == other.site; });
    return other.site != site.folder && place != environment.sites.end() &&
           isCompatible(place->pythonVersion, site.pythonVersion) &&
           normalizedName(other.name) == normalizedName(package.name);
  });
}

} // namespace

std::optional<Package> findInSite(const Environment& environment, const io::TargetDisk& disk,
                                  const std::string& site, const recipe::Recipe& recipe) {
  std::string folder = folderFor(recipe.name, site, disk);
  std::vector<Distribution> found = distributionsOf(recipe.name, site, disk);
  bool isCalledSo = !found.empty();
  // The imported name may differ from the distribution's: cv2 is in opencv-python.
  if (!isCalledSo && disk.isFolder(joined(site, folder)))
    found = distributionsListing(folder + "/", site, disk);
  std::vector<std::string> owners;
  if (!isCalledSo && found.size() > 1) {
    for (const Distribution& each : found)
      owners.push_back(each.name);
    found.clear();
  }
  if (found.empty() && !disk.isFolder(joined(site, folder)) &&
      !disk.isFile(joined(site, folder + ".egg-link")))
    return std::nullopt;

  Package package;
  package.recipe = recipe;
  package.name = recipe.name;
  package.site = site;
  package.owners = std::move(owners);
  std::string condaName = recipe.name;
  std::vector<RecordFile> records;
  for (const Distribution& each : found)
    records.push_back(readRecord(each, disk));
  LibraryCollector collector(recipe, disk, package, folder);
  const Record* record = nullptr;
  if (!found.empty()) {
    size_t chosen = chooseDistribution(found, records, site, disk);
    Distribution distribution = found[chosen];
    readMetadata(distribution, disk);
    condaName = distribution.name;
    if (isCalledSo)
      package.name = distribution.name;
    package.version = distribution.version;
    package.distInfo = distribution.entry;
    if (found.size() > 1)
      package.problems.push_back(severalVersions(found, package, disk));
    if (records[chosen].problem)
      package.problems.push_back(*records[chosen].problem);
    if (records[chosen].record) {
      record = &*records[chosen].record;
      package.hasRecord = true;
      collector.addListed(*record, records[chosen].path);
    }
  }
  if (package.distInfo.empty())
    package.home = joined(site, folder);
  package.condaMeta = findCondaMeta(environment, disk, condaName);
  // With a library prefix, files that were copied by hand count as well; without one, RECORD is
  // more reliable.
  if (!record || !recipe.libraryPrefix.empty())
    collector.addPresent(/*isDeep=*/!record && recipe.libraryPrefix.empty());
  collector.finish();
  if (package.recipe.importName.empty())
    package.recipe.importName = importNameOf(package, folder, disk);
  package.recipe.isNamespace =
      recipe.isJudgedByModules && isNamespace(joined(site, package.recipe.importName), disk);
  findOutwardFolder(environment, disk, record, folder, package);
  return package;
}

std::string findCondaMeta(const Environment& environment, const io::TargetDisk& disk,
                          llvm::StringRef name) {
  if (environment.condaMeta.empty())
    return {};
  for (const std::string& entry : disk.list(environment.condaMeta)) {
    llvm::StringRef stem = entry; // NAME-VERSION-BUILD.json
    if (!stem.consume_back(".json"))
      continue;
    llvm::StringRef own = stem.rsplit('-').first.rsplit('-').first;
    if (normalizedName(own) == normalizedName(name))
      return joined(environment.condaMeta, entry);
  }
  return {};
}

std::vector<Package> findPackages(const Environment& environment, const io::TargetDisk& disk,
                                  const recipe::Recipe& recipe) {
  std::vector<Package> packages;
  for (const Site& site : environment.sites)
    if (std::optional<Package> package = findInSite(environment, disk, site.folder, recipe);
        package && !isHidden(*package, site, packages, environment))
      packages.push_back(std::move(*package));
  return packages;
}

std::vector<Package> findPackagesWithLibraries(const Environment& environment,
                                               const io::TargetDisk& disk) {
  std::vector<Package> packages;
  for (const Site& site : environment.sites) {
    std::set<std::string> seen; // an interrupted installer leaves two entries for one package
    for (const Distribution& each : distributionsIn(site.folder, disk)) {
      if (each.name.empty() || !llvm::isAlnum(each.name.front()) || // ~orchcodec
          !seen.insert(normalizedName(each.name)).second || !mayHaveLibraries(each, disk))
        continue;
      std::optional<Package> package =
          findInSite(environment, disk, site.folder, recipe::recipeFor(each.name));
      if (package && (!package->libraries.empty() || !package->gone.empty()) &&
          !isHidden(*package, site, packages, environment))
        packages.push_back(std::move(*package));
    }
  }
  return packages;
}

std::vector<Package> listPackages(const Environment& environment, const io::TargetDisk& disk) {
  std::vector<Package> packages;
  for (const Site& site : environment.sites)
    for (const Distribution& each : distributionsIn(site.folder, disk)) {
      Package package;
      package.name = each.name;
      package.version = each.version;
      package.site = site.folder;
      package.distInfo = each.entry;
      if (!isHidden(package, site, packages, environment))
        packages.push_back(std::move(package));
    }
  return packages;
}

} // namespace tcfix::env
