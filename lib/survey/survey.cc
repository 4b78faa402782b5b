#include "survey/survey.h"

#include "advice/advice.h"
#include "base/paths.h"
#include "env/distribution.h"
#include "env/library_files.h"
#include "env/origin.h"
#include "image/names.h"
#include "io/host.h"
#include "providers/places.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::survey {

namespace path = llvm::sys::path;

namespace {

const Slice& sliceFor(const Image& image, llvm::StringRef arch) {
  for (const Slice& slice : image.slices)
    if (slice.arch == arch)
      return slice;
  return image.slices.front();
}

// The architecture of a universal Python depends on the machine, so the libraries decide. A Python
// for another platform than the libraries is not the one that loads them.
void describePython(resolve::ProcessOptions& process, Platform platform,
                    resolve::LibraryStore& store) {
  if (process.executable.empty())
    return;
  llvm::Expected<const Image*> image = store.image(process.executable);
  if (!image) {
    llvm::consumeError(image.takeError());
    return;
  }
  if (platformOf((*image)->format) != platform)
    process.executable.clear();
  else if (process.arch.empty() && !(*image)->isUniversal && !(*image)->slices.empty())
    process.arch = (*image)->slices.front().arch;
}

// For a universal library: an architecture that torch, in the same process, also has.
std::string archFor(const Image& image, const PackageFacts& facts, resolve::LibraryStore& store) {
  for (const std::string& name : facts.torchNames) {
    if (!image.isUniversal)
      break;
    llvm::Expected<const Image*> torch = store.image(facts.torch->libFolder + "/" + name);
    if (!torch) {
      llvm::consumeError(torch.takeError());
      continue;
    }
    for (const Slice& slice : image.slices)
      if (llvm::any_of((*torch)->slices, [&](const Slice& one) { return one.arch == slice.arch; }))
        return slice.arch;
  }
  return image.slices.front().arch;
}

/// The variables of this process that the platform's loader would use in a Python started from it.
std::map<std::string, std::string> loaderVariables(Platform platform) {
  std::vector<const char*> names = {"PATH"};
  if (platform == Platform::MacOs)
    names = {"DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"};
  if (platform == Platform::Linux)
    names = {"LD_LIBRARY_PATH"};
  std::map<std::string, std::string> result;
  for (const char* name : names)
    if (std::optional<std::string> value = io::environmentVariable(name))
      result[name] = *value;
  return result;
}

std::vector<recipe::Recipe> recipesOf(const SurveyOptions& options) {
  std::vector<recipe::Recipe> recipes;
  for (const std::string& name : options.packages)
    recipes.push_back(recipe::recipeFor(name));
  if (recipes.empty())
    recipes.push_back(recipe::defaultRecipe());
  return recipes;
}

/// How to install a missing package in a version that fits the installed torch.
std::string installHint(const env::Target& target, const std::string& package) {
  const env::Environment& environment = target.environment;
  const env::Site site = environment.sites.empty() ? env::Site() : environment.sites.front();
  advice::Context context;
  context.machine = {target.platform, target.arch, site.pythonVersion};
  context.installer = env::installerOf(environment, site.folder, target.disk);
  context.environment = environment.path;
  context.package = package;
  if (std::optional<providers::TorchInstall> torch =
          providers::findTorch(environment, target.disk, site.folder)) {
    context.torch = torch->build;
    context.canReplaceTorch = env::isFromIndex(torch->distInfo, torch->version, target.disk);
  }
  const std::string command = advice::installCommand(context, package);
  return command.empty() ? command : "install it: " + command;
}

} // namespace

llvm::Expected<env::Target> find(const std::string& target, const SurveyOptions& options) {
  llvm::Expected<env::Target> found = env::findTarget(
      {target, options.sysroot, options.arch, recipesOf(options), options.wantsEveryPackage});
  if (!found)
    return found;
  for (const std::string& typed : options.search)
    if (std::optional<std::string> folder = providers::namedFolder(typed, found->disk);
        !folder || !found->disk.isFolder(*folder))
      return fail(ErrorCode::NotFound, "--search: no such directory: " + typed,
                  "use --rpath to write a search path literally");
  return found;
}

llvm::Expected<env::Target> locate(const std::string& target, const SurveyOptions& options) {
  llvm::Expected<env::Target> found = find(target, options);
  if (!found)
    return found;
  if (options.wantsEveryPackage)
    return found;
  // A file belongs to the package that owns it, unless --package names another one.
  if (found->environment.kind == env::EnvironmentKind::File) {
    const env::Package& owner = found->packages.front();
    if (!options.packages.empty() && !owner.distInfo.empty() &&
        llvm::none_of(options.packages, [&](const std::string& name) {
          return env::normalizedName(name) == env::normalizedName(owner.name);
        }))
      return fail(ErrorCode::NotFound,
                  "belongs to " + owner.name + ", not to the package given with --package",
                  "use --package " + owner.name);
    return found;
  }
  for (const recipe::Recipe& wanted : recipesOf(options))
    if (llvm::none_of(found->packages, [&](const env::Package& package) {
          return env::normalizedName(package.name) == env::normalizedName(wanted.name);
        }))
      return fail(ErrorCode::NotFound, wanted.name + " not found",
                  installHint(*found, wanted.name));
  return found;
}

namespace {

/// The real path of a directory inside the environment, because relative entries start from there.
std::string insideOr(const std::string& folder, const std::string& root,
                     const io::TargetDisk& disk) {
  const std::string real = disk.realPath(folder).value_or(folder);
  return isWithin(real, root) ? real : folder;
}

/// This machine's environment variables apply only if the target runs here.
bool isHere(const env::Target& target, const SurveyOptions& options) {
  return options.sysroot.empty() && target.disk.knowsAbsolutePaths();
}

void findTorch(const env::Target& target, PackageFacts& facts) {
  facts.torch = providers::findTorch(target.environment, target.disk, facts.package.site);
  if (facts.torch && facts.torch->libFolder.empty())
    facts.torch.reset();
  if (facts.torch)
    for (const std::string& name : target.disk.list(facts.torch->libFolder))
      if (env::isLibraryName(name))
        facts.torchNames.push_back(name);
}

/// By file name: packages that load a library by ctypes contain it for several platforms.
bool isForOtherPlatform(llvm::StringRef file, Platform platform) {
  const bool isDll = file.ends_with_insensitive(".dll") || file.ends_with_insensitive(".pyd");
  return isDll != (platform == Platform::Windows) ||
         (file.ends_with_insensitive(".dylib") && platform != Platform::MacOs);
}

void describeLibraries(PackageFacts& facts, resolve::LibraryStore& store) {
  for (const std::string& file : facts.package.libraries) {
    llvm::Expected<const Image*> image = store.image(file);
    if (image && facts.package.recipe.isJudgedByModules && isForOtherPlatform(file, facts.platform))
      continue;
    if (!image || platformOf((*image)->format) != facts.platform || (*image)->slices.empty()) {
      facts.unreadable.push_back(image ? Problem{ErrorCode::NotALibrary,
                                                 "is not a library for " +
                                                     nameOf(facts.platform).str() +
                                                     " like the rest of the package",
                                                 file,
                                                 {}}
                                       : toProblem(image.takeError(), file));
      continue;
    }
    if (facts.process.arch.empty())
      facts.process.arch = archFor(**image, facts, store);
    facts.libraries.push_back(
        describeLibrary(file, sliceFor(**image, facts.process.arch), facts.package.recipe));
  }
}

/// Libraries that the package's Python code may have loaded before its own, by identity.
void addSiblings(PackageFacts& facts, llvm::ArrayRef<std::string> files,
                 resolve::LibraryStore& store) {
  for (const std::string& file : files)
    if (const Image* image = llvm::expectedToOptional(store.image(file)).value_or(nullptr))
      if (!image->slices.empty())
        if (const auto& identity = sliceFor(*image, facts.process.arch).identity)
          facts.siblings.try_emplace(*identity, file);
}

std::vector<std::string> nvidiaLibraries(const env::Target& target, const env::Package& package) {
  std::vector<std::string> files;
  for (const std::string& folder : providers::findOtherFolders(target, package))
    if (llvm::StringRef(slashed(folder)).contains("/nvidia/"))
      for (const std::string& name : target.disk.list(folder))
        if (env::isLibraryName(name))
          files.push_back(joined(folder, name));
  return files;
}

/// Whether torch is imported before the package's libraries are loaded.
bool comesAfterTorch(const PackageFacts& facts) {
  if (!facts.torch || env::normalizedName(facts.package.name) == "torch")
    return false;
  return facts.package.recipe.importsTorch ||
         llvm::any_of(facts.libraries, [](const LibraryFacts& library) {
           return llvm::any_of(library.original.dependencies, [](const Dependency& dependency) {
             return providers::isTorchLibrary(dependency.name);
           });
         });
}

} // namespace

std::string pythonOf(const env::Target& target, const env::Package& package) {
  auto own = llvm::find_if(target.environment.sites,
                           [&](const env::Site& one) { return one.folder == package.site; });
  for (const env::Python& python : target.environment.pythons)
    if (own == target.environment.sites.end() || own->pythonVersion.empty() ||
        python.version == own->pythonVersion)
      return python.executable;
  return {};
}

namespace {

/// Those of the Python that the package is installed for.
std::vector<std::string> sitesOf(const env::Target& target, const env::Package& package) {
  auto own = llvm::find_if(target.environment.sites,
                           [&](const env::Site& one) { return one.folder == package.site; });
  std::vector<std::string> folders;
  for (const env::Site& site : target.environment.sites)
    if (own == target.environment.sites.end() || own->pythonVersion.empty() ||
        site.pythonVersion.empty() || site.pythonVersion == own->pythonVersion)
      folders.push_back(site.folder);
  if (own == target.environment.sites.end() && !package.site.empty())
    folders.push_back(package.site);
  return folders;
}

} // namespace

PackageFacts gatherLoaderFacts(const env::Target& target, const env::Package& package,
                               resolve::LibraryStore& store, const SurveyOptions& options,
                               const Demand* demand) {
  PackageFacts facts;
  facts.package = package;
  facts.platform = target.platform;
  facts.root = target.environment.whole;
  facts.sites = sitesOf(target, package);
  facts.process.executable = pythonOf(target, package);
  facts.process.isPython = true;
  facts.process.systemVersion = options.macosVersion;
  if (!options.arch.empty())
    facts.process.arch = target.arch; // in the platform's spelling
  describePython(facts.process, target.platform, store);
  if (facts.process.arch.empty() && options.wantsEveryPackage)
    facts.process.arch = target.arch; // the one of most packages
  if (isHere(target, options))
    facts.variables = loaderVariables(target.platform);
  findTorch(target, facts);
  describeLibraries(facts, store);
  facts.isAfterTorch = comesAfterTorch(facts);
  addSiblings(facts, package.siblings, store);
  if (package.recipe.preloadsNvidia)
    addSiblings(facts, nvidiaLibraries(target, package), store);
  findNeeds(facts, target, store, demand);
  if (facts.platform == Platform::Windows)
    facts.process.dllFolders =
        providers::findDllFolders(target, package, providers::findOtherFolders(target, package));
  return facts;
}

PackageFacts gatherFacts(const env::Target& target, const env::Package& package,
                         resolve::LibraryStore& store, const SurveyOptions& options) {
  PackageFacts facts = gatherLoaderFacts(target, package, store, options);
  addProviders(facts, target, options);
  return facts;
}

namespace {

/// The directories of the package's own libraries, and of those of the packages that it requires.
std::vector<std::string> relatedFolders(const env::Target& target, const env::Package& package) {
  std::vector<std::string> folders;
  auto add = [&](const env::Package& one) {
    for (const std::string& library : one.libraries)
      if (std::string folder = path::parent_path(library).str();
          !llvm::is_contained(folders, folder))
        folders.push_back(std::move(folder));
  };
  add(package);
  for (const std::string& name : env::requirementsOf(package.distInfo, target.disk))
    if (env::normalizedName(name) != "torch") // it has its own rule
      for (const env::Package& required :
           env::findPackages(target.environment, target.disk, recipe::recipeFor(name)))
        add(required);
  return folders;
}

} // namespace

void addProviders(PackageFacts& facts, const env::Target& target, const SurveyOptions& options) {
  providers::FfmpegQuery query;
  query.platform = target.platform;
  query.arch = facts.process.arch;
  query.option = options.ffmpeg;
  for (const std::string& typed : options.search)
    if (std::optional<std::string> folder = providers::namedFolder(typed, target.disk))
      facts.namedFolders.push_back(insideOr(*folder, facts.root, target.disk));
  query.searched = facts.namedFolders;
  if (isHere(target, options))
    query.variables = providers::ffmpegVariables();
  facts.ffmpegs = providers::findFfmpegs(target.environment, target.disk, query);
  // For a universal library without further evidence, use what most Macs need.
  if (target.arch.empty() && !facts.torch && facts.process.executable.empty())
    query.arch.clear();
  facts.standingPlace = providers::standingPlace(target.environment, query);
  facts.otherFolders = facts.namedFolders;
  llvm::append_range(facts.otherFolders, providers::findOtherFolders(target, facts.package));
  if (facts.package.recipe.isJudgedByModules && !facts.package.distInfo.empty())
    llvm::append_range(facts.otherFolders, relatedFolders(target, facts.package));
}

} // namespace tcfix::survey
