// Which libraries of a package must load, for packages without a recipe: extension modules, which
// Python itself loads, and, in a package without any, libraries that other packages depend on. All
// others are loaded on demand, by ctypes, dlopen or as plugins.
#pragma once

#include "env/target.h"
#include "survey/facts.h"

namespace tcfix::survey {

/// The names of the libraries that the packages of an environment depend on.
class Demand {
public:
  Demand(llvm::ArrayRef<env::Package> packages, resolve::LibraryStore& store);

  /// Whether a library of a package other than `than` depends on a library with this name.
  bool comesFromOthers(llvm::StringRef name, const env::Package& than) const;

private:
  /// Site and name of each package that depends on a library, by the library's name.
  std::map<std::string, std::vector<std::string>> dependents;
};

/// Whether a missing or unreadable file has the name of an extension module.
bool isModuleName(llvm::StringRef file);

/// Sets `isModule` and `isNeeded` of each library of the package. Without a demand, the
/// environment's packages are read here, but only if the result depends on them.
void findNeeds(PackageFacts& facts, const env::Target& target, resolve::LibraryStore& store,
               const Demand* demand);

} // namespace tcfix::survey
