#include "survey/survey.h"

#include "advice/advice.h"
#include "env/distribution.h"
#include "env/library_files.h"
#include "env/origin.h"
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

std::string pythonFor(const env::Target& target, const env::Package& package) {
  auto own = llvm::find_if(target.environment.sites,
                           [&](const env::Site& one) { return one.folder == package.site; });
  for (const env::Python& python : target.environment.pythons)
    if (own == target.environment.sites.end() || own->pythonVersion.empty() ||
        python.version == own->pythonVersion)
      return python.executable;
  return {};
}

// A universal python runs in the architecture that its machine prefers: the first that fits. One of
// another platform than the libraries will not be the one that loads them.
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

// A universal library leaves it open; torch, which shares its process, may tell.
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

/// Those of this process that the platform's loader would heed in a python started from it.
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

} // namespace

env::TargetQuery queryFor(const std::string& target, const SurveyOptions& options) {
  env::TargetQuery query;
  query.path = target;
  query.sysroot = options.sysroot;
  query.arch = options.arch;
  for (const std::string& name : options.packages)
    query.recipes.push_back(recipe::recipeFor(name));
  if (query.recipes.empty())
    query.recipes.push_back(recipe::defaultRecipe());
  return query;
}

namespace {

/// How to install a package that is missing, so that it fits the torch that is there.
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

/// A file of no known package, named as the target, is a package of its own.
void nameLoneFile(env::Target& target) {
  llvm::StringRef file = path::filename(target.environment.root);
  if (target.environment.kind != env::EnvironmentKind::File)
    return;
  for (env::Package& package : target.packages) {
    const std::string& prefix = package.recipe.libraryPrefix;
    bool isOwn = !prefix.empty() && file.starts_with(prefix);
    if (package.distInfo.empty() && !isOwn) {
      package.name = file.split('.').first.str();
      package.recipe = {};
    }
  }
}

} // namespace

llvm::Expected<env::Target> locate(const std::string& target, const SurveyOptions& options) {
  env::TargetQuery query = queryFor(target, options);
  llvm::Expected<env::Target> found = env::findTarget(query);
  if (!found)
    return found;
  for (const recipe::Recipe& wanted : query.recipes)
    if (llvm::none_of(found->packages, [&](const env::Package& package) {
          return env::normalizedName(package.name) == env::normalizedName(wanted.name);
        }))
      return fail(ErrorCode::NotFound, "there is no " + wanted.name + " in it",
                  installHint(*found, wanted.name));
  nameLoneFile(*found);
  return found;
}

namespace {

/// This machine's own variables count only where the target runs here.
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

void describeLibraries(PackageFacts& facts, resolve::LibraryStore& store) {
  for (const std::string& file : facts.package.libraries) {
    llvm::Expected<const Image*> image = store.image(file);
    if (!image || platformOf((*image)->format) != facts.platform || (*image)->slices.empty()) {
      facts.unreadable.push_back(image ? Problem{ErrorCode::NotALibrary,
                                                 "is no library of the platform of the others",
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

} // namespace

PackageFacts gatherLoaderFacts(const env::Target& target, const env::Package& package,
                               resolve::LibraryStore& store, const SurveyOptions& options) {
  PackageFacts facts;
  facts.package = package;
  facts.platform = target.platform;
  facts.root = target.environment.whole;
  facts.process.executable = pythonFor(target, package);
  facts.process.isPython = true;
  facts.process.systemVersion = options.macosVersion;
  facts.process.arch = options.arch;
  describePython(facts.process, target.platform, store);
  if (isHere(target, options))
    facts.variables = loaderVariables(target.platform);
  findTorch(target, facts);
  describeLibraries(facts, store);
  if (facts.platform == Platform::Windows)
    facts.process.dllFolders =
        providers::findDllFolders(target, package, providers::findOtherFolders(target, package));
  return facts;
}

PackageFacts gatherFacts(const env::Target& target, const env::Package& package,
                         resolve::LibraryStore& store, const SurveyOptions& options) {
  PackageFacts facts = gatherLoaderFacts(target, package, store, options);
  providers::FfmpegQuery query;
  query.platform = target.platform;
  query.arch = facts.process.arch;
  query.option = options.ffmpeg;
  if (isHere(target, options))
    query.variables = providers::ffmpegVariables();
  facts.ffmpegs = providers::findFfmpegs(target.environment, target.disk, query);
  facts.otherFolders = providers::findOtherFolders(target, package);
  return facts;
}

} // namespace tcfix::survey
