#include "survey/needs.h"

#include "base/parallel.h"
#include "env/import_order.h"
#include "env/package_code.h"
#include "image/names.h"
#include "resolve/explain.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace tcfix::survey {

namespace {

std::string idOf(const env::Package& package) {
  return package.site + "/" + package.name;
}

/// Recognized by a file name that Python imports, or by the function that an import calls.
bool isExtensionModule(const LibraryFacts& library, const PackageFacts& facts,
                       resolve::LibraryStore& store) {
  llvm::StringRef name = library.name;
  if (name.ends_with_insensitive(".pyd"))
    return true;
  if (!name.consume_back(".so"))
    return false;
  const auto [stem, tag] = name.split('.');
  if (env::isModuleTag(tag))
    return true;
  const std::string function =
      (facts.platform == Platform::MacOs ? "_PyInit_" : "PyInit_") + stem.str();
  NeededSymbol wanted;
  wanted.name = function;
  return resolve::isOffered(wanted, {library.path}, facts.process.arch, store);
}

/// A package that loads its libraries with ctypes may contain one library for several
/// architectures.
bool fitsTheProcess(const LibraryFacts& library, const PackageFacts& facts,
                    resolve::LibraryStore& store) {
  const Image* image = llvm::expectedToOptional(store.image(library.path)).value_or(nullptr);
  return facts.libraries.size() == 1 || !image || facts.process.arch.empty() ||
         llvm::any_of(image->slices, [&](const Slice& slice) {
           return resolve::isSameArchitecture(slice.arch, facts.process.arch);
         });
}

bool isRequiredByOthers(const LibraryFacts& library, const env::Package& package,
                        const Demand& demand) {
  return demand.comesFromOthers(library.name, package) ||
         (library.identity && demand.comesFromOthers(baseName(*library.identity), package));
}

} // namespace

Demand::Demand(llvm::ArrayRef<env::Package> packages, resolve::LibraryStore& store) {
  parallelFor(packages.size(), hardwareThreads(), [&](size_t i) {
    for (const std::string& file : packages[i].libraries)
      llvm::consumeError(
          store.image(file).takeError()); // read in parallel, and kept for the loop below
  });
  for (const env::Package& package : packages) {
    std::set<std::string> own, required;
    for (const std::vector<std::string>* files : {&package.libraries, &package.grafted})
      for (const std::string& file : *files) {
        const Image* image = llvm::expectedToOptional(store.image(file)).value_or(nullptr);
        if (!image || image->slices.empty())
          continue;
        const Slice& slice = image->slices.front();
        own.insert(baseName(file).lower());
        own.insert(baseName(slice.identity.value_or("")).lower());
        for (const Dependency& dependency : slice.dependencies)
          required.insert(baseName(dependency.name).lower());
      }
    // Two packages may contain libraries with the same name: each depends on its own.
    for (const std::string& name : required)
      if (!own.count(name))
        dependents[name].push_back(idOf(package));
  }
}

bool Demand::comesFromOthers(llvm::StringRef name, const env::Package& than) const {
  auto known = dependents.find(name.lower());
  return known != dependents.end() &&
         llvm::any_of(known->second,
                      [&](const std::string& dependent) { return dependent != idOf(than); });
}

bool isModuleName(llvm::StringRef file) {
  const llvm::StringRef name = baseName(file);
  return name.ends_with_insensitive(".pyd") || (name.ends_with(".so") && !name.starts_with("lib"));
}

void findNeeds(PackageFacts& facts, const env::Target& target, resolve::LibraryStore& store,
               const Demand* demand) {
  if (!facts.package.recipe.isJudgedByModules)
    return;
  bool hasModules = llvm::any_of(facts.package.gone, isModuleName) ||
                    llvm::any_of(facts.unreadable,
                                 [](const Problem& problem) { return isModuleName(problem.path); });
  for (LibraryFacts& library : facts.libraries) {
    library.isModule = isExtensionModule(library, facts, store);
    hasModules |= library.isModule || library.role.isImported;
  }
  for (LibraryFacts& library : facts.libraries)
    library.isNeeded =
        !library.role.isOptional && (hasModules ? library.isModule || library.role.isImported
                                                : fitsTheProcess(library, facts, store));
  // With a single library as the target, that library is what must load.
  const env::EnvironmentKind kind = target.environment.kind;
  if (hasModules || kind == env::EnvironmentKind::File || kind == env::EnvironmentKind::Folder)
    return;
  std::optional<Demand> own;
  if (!demand)
    demand = &own.emplace(env::findPackagesWithLibraries(target.environment, target.disk), store);
  std::vector<LibraryFacts*> required;
  for (LibraryFacts& library : facts.libraries)
    if (library.isNeeded && isRequiredByOthers(library, facts.package, *demand))
      required.push_back(&library);
  // A library that no package depends on is loaded by the package's own code, or as a plugin.
  if (!required.empty() || !env::loadsLibrariesItself(facts.package, facts.platform, target.disk))
    for (LibraryFacts& library : facts.libraries)
      library.isNeeded = llvm::is_contained(required, &library);
}

} // namespace tcfix::survey
