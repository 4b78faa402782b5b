#include "plan/survey.h"

#include "env/distribution.h"
#include "env/library_files.h"
#include "io/host.h"
#include "providers/places.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::plan {

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
void describePython(resolve::ProcessOptions& process, Format platform,
                    resolve::LibraryStore& store) {
  if (process.executable.empty())
    return;
  llvm::Expected<const Image*> image = store.image(process.executable);
  if (!image) {
    llvm::consumeError(image.takeError());
    return;
  }
  if ((*image)->format != platform)
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

std::map<std::string, std::string> variables(std::initializer_list<const char*> names) {
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
    query.packages.push_back({name, {}});
  if (query.packages.empty())
    query.packages.push_back(env::torchcodecQuery());
  return query;
}

llvm::Expected<env::Target> locate(const std::string& target, const SurveyOptions& options) {
  env::TargetQuery query = queryFor(target, options);
  llvm::Expected<env::Target> found = env::findTarget(query);
  if (!found)
    return found;
  for (const env::PackageQuery& wanted : query.packages)
    if (llvm::none_of(found->packages, [&](const env::Package& package) {
          return env::normalizedName(package.name) == env::normalizedName(wanted.name);
        }))
      return fail(ErrorCode::NotFound, "there is no " + wanted.name + " in it",
                  "install it: pip install " + wanted.name);
  return found;
}

PackageFacts gatherFacts(const env::Target& target, const env::Package& package,
                         resolve::LibraryStore& store, const SurveyOptions& options,
                         std::vector<Problem>& unreadable) {
  PackageFacts facts;
  facts.package = package;
  facts.platform = target.platform;
  facts.root = target.environment.whole;
  facts.process.executable = pythonFor(target, package);
  facts.process.isPython = true;
  facts.process.systemVersion = options.macosVersion;
  facts.process.arch = options.arch;
  describePython(facts.process, target.platform, store);
  if (options.usesLoaderVariables && options.sysroot.empty() && target.disk.knowsAbsolutePaths())
    facts.process.environment =
        variables({"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "PATH"});

  facts.torch = providers::findTorch(target.environment, target.disk, package.site);
  if (facts.torch && facts.torch->libFolder.empty())
    facts.torch.reset();
  if (facts.torch)
    for (const std::string& name : target.disk.list(facts.torch->libFolder))
      if (env::isLibraryName(name))
        facts.torchNames.push_back(name);

  for (const std::string& file : package.libraries) {
    llvm::Expected<const Image*> image = store.image(file);
    if (!image || (*image)->format != target.platform || (*image)->slices.empty()) {
      unreadable.push_back(image ? Problem{ErrorCode::NotALibrary,
                                           "is no library of the platform of the others",
                                           file,
                                           {}}
                                 : toProblem(image.takeError(), file));
      continue;
    }
    if (facts.process.arch.empty())
      facts.process.arch = archFor(**image, facts, store);
    const Slice& slice = sliceFor(**image, facts.process.arch);
    LibraryFacts library;
    library.path = file;
    library.name = path::filename(file).str();
    library.original = {slice.dependencies, {}, slice.searchPaths, slice.searchPathKind};
    readName(library);
    facts.libraries.push_back(std::move(library));
  }

  providers::FfmpegQuery query;
  query.platform = target.platform;
  query.arch = facts.process.arch;
  query.option = options.ffmpeg;
  if (options.sysroot.empty() && target.disk.knowsAbsolutePaths())
    query.variables = providers::ffmpegVariables();
  facts.ffmpegs = providers::findFfmpegs(target.environment, target.disk, query);
  facts.otherFolders = providers::findOtherFolders(target, package);
  if (facts.platform == Format::Pe)
    facts.process.dllFolders = providers::findDllFolders(target, package, facts.otherFolders);
  return facts;
}

} // namespace tcfix::plan
