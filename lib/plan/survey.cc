#include "plan/survey.h"

#include "io/system.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>

namespace tcfix::plan {

namespace path = llvm::sys::path;

namespace {

Format hostPlatform() {
  switch (io::system::hostSystem()) {
  case io::system::HostSystem::MacOs:
    return Format::MachO;
  case io::system::HostSystem::Windows:
    return Format::Pe;
  case io::system::HostSystem::Linux:
    break;
  }
  return Format::Elf;
}

// By the first library that can be read; one that cannot is reported later, with the others.
std::optional<Format> platformOf(llvm::ArrayRef<env::Package> packages,
                                 const io::TargetDisk& disk) {
  for (const env::Package& package : packages)
    for (const std::string& library : package.libraries) {
      llvm::Expected<io::InputFile> file = disk.open(library);
      if (!file) {
        llvm::consumeError(file.takeError());
        continue;
      }
      if (std::optional<Format> format = formats::sniff(file->bytes()))
        return format;
    }
  return std::nullopt;
}

std::vector<env::PackageQuery> queriesFor(const SurveyOptions& options) {
  if (options.packages.empty())
    return {env::torchcodecQuery()};
  std::vector<env::PackageQuery> queries;
  for (const std::string& name : options.packages)
    queries.push_back({name, {}});
  return queries;
}

const Slice& sliceFor(const Image& image, llvm::StringRef arch) {
  for (const Slice& slice : image.slices)
    if (slice.arch == arch)
      return slice;
  return image.slices.front();
}

std::string pythonFor(const Site& site, const env::Package& package) {
  const auto* own = llvm::find_if(site.environment.sites, [&](const env::Site& one) {
    return one.folder == package.site;
  });
  for (const env::Python& python : site.environment.pythons)
    if (own == site.environment.sites.end() || own->pythonVersion.empty() ||
        python.version == own->pythonVersion)
      return python.executable;
  return {};
}

// A universal python runs in the architecture that its machine prefers: the first that fits.
std::string archOf(const std::string& file, resolve::LibraryStore& store) {
  llvm::Expected<const Image*> image = store.image(file);
  if (!image) {
    llvm::consumeError(image.takeError());
    return {};
  }
  return (*image)->isUniversal || (*image)->slices.empty() ? std::string()
                                                           : (*image)->slices.front().arch;
}

std::map<std::string, std::string> variables(std::initializer_list<const char*> names) {
  std::map<std::string, std::string> result;
  for (const char* name : names)
    if (std::optional<std::string> value = llvm::sys::Process::GetEnv(name))
      result[name] = *value;
  return result;
}

bool isLibraryName(llvm::StringRef name) {
  return name.ends_with(".so") || name.contains(".so.") || name.ends_with(".dylib") ||
         name.ends_with_insensitive(".dll");
}

// Where libraries that are neither torch's nor FFmpeg's may lie.
std::vector<std::string> findOtherFolders(const Site& site, const env::Package& package) {
  const io::TargetDisk& disk = *site.disk;
  std::vector<std::string> folders;
  auto add = [&](const std::string& folder) {
    if (!llvm::is_contained(folders, folder) && disk.isFolder(folder))
      folders.push_back(folder);
  };
  for (const std::string& library : package.grafted)
    add(path::parent_path(library).str());
  for (const env::Site& one : site.environment.sites) {
    std::string nvidia = one.folder + "/nvidia";
    for (const std::string& part : disk.list(nvidia))
      add(nvidia + "/" + part + (site.platform == Format::Pe ? "/bin" : "/lib"));
  }
  if (site.environment.kind == env::EnvironmentKind::Conda)
    add(site.environment.root + (site.platform == Format::Pe ? "/Library/bin" : "/lib"));
  if (site.platform == Format::MachO)
    for (const char* common : {"/opt/homebrew/lib", "/usr/local/lib", "/opt/local/lib"})
      if (std::optional<std::string> folder = disk.hostPath(common))
        add(*folder);
  return folders;
}

} // namespace

llvm::Expected<Site> locate(llvm::StringRef target, const SurveyOptions& options) {
  io::TargetDisk anyDisk({options.sysroot, false, true});
  llvm::Expected<env::Environment> environment = env::findEnvironment(target, anyDisk);
  if (!environment)
    return environment.takeError();
  Site site;
  site.environment = std::move(*environment);
  for (const env::PackageQuery& query : queriesFor(options)) {
    std::vector<env::Package> found = env::findPackages(site.environment, anyDisk, query);
    if (found.empty())
      return fail(ErrorCode::NotFound, "there is no " + query.name + " in it",
                  "install it, such as with: pip install " + query.name);
    llvm::append_range(site.packages, found);
  }
  Format host = hostPlatform();
  site.platform = platformOf(site.packages, anyDisk).value_or(host);
  site.disk = std::make_unique<io::TargetDisk>(
      io::TargetDiskOptions{options.sysroot, site.platform == Format::Pe,
                            !options.sysroot.empty() || site.platform == host});
  return site;
}

PackageFacts gatherFacts(const Site& site, const env::Package& package,
                         resolve::LibraryStore& store, const SurveyOptions& options,
                         std::vector<Problem>& unreadable) {
  PackageFacts facts;
  facts.package = package;
  facts.platform = site.platform;
  facts.root = site.environment.root;
  facts.process.executable = pythonFor(site, package);
  facts.process.systemVersion = options.macosVersion;
  facts.process.arch = options.arch;
  if (facts.process.arch.empty() && !facts.process.executable.empty())
    facts.process.arch = archOf(facts.process.executable, store);
  if (options.usesLoaderVariables && options.sysroot.empty() && site.disk->knowsAbsolutePaths())
    facts.process.environment = variables({"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
                                           "DYLD_FALLBACK_LIBRARY_PATH", "PATH"});

  for (const std::string& file : package.libraries) {
    llvm::Expected<const Image*> image = store.image(file);
    if (!image || (*image)->format != site.platform || (*image)->slices.empty()) {
      unreadable.push_back(image ? Problem{ErrorCode::NotALibrary,
                                           "is no library of the platform of the others",
                                           file,
                                           {}}
                                 : toProblem(image.takeError(), file));
      continue;
    }
    if (facts.process.arch.empty())
      facts.process.arch = (*image)->slices.front().arch;
    const Slice& slice = sliceFor(**image, facts.process.arch);
    LibraryFacts library;
    library.path = file;
    library.name = path::filename(file).str();
    library.original = {slice.dependencies, {}, slice.searchPaths, slice.searchPathKind};
    readName(library);
    facts.libraries.push_back(std::move(library));
  }

  facts.torch = env::findTorch(site.environment, *site.disk, package.site);
  if (facts.torch && facts.torch->libFolder.empty())
    facts.torch.reset();
  if (facts.torch)
    for (const std::string& name : site.disk->list(facts.torch->libFolder))
      if (isLibraryName(name))
        facts.torchNames.push_back(name);

  env::FfmpegQuery query;
  query.platform = site.platform;
  query.arch = facts.process.arch;
  query.option = options.ffmpeg;
  if (options.sysroot.empty() && site.disk->knowsAbsolutePaths())
    query.variables = variables({"TCFIX_FFMPEG", "HOMEBREW_PREFIX", "FFMPEG_SHARED_BIN", "PATH",
                                 "LOCALAPPDATA", "ChocolateyInstall", "USERPROFILE", "HOME"});
  facts.ffmpegs = env::findFfmpegs(site.environment, *site.disk, query);
  facts.otherFolders = findOtherFolders(site, package);
  return facts;
}

} // namespace tcfix::plan
