// Which libraries of a package must load, where no recipe says so: extension modules, which Python
// itself loads, and, in a package without any, what other packages ask for. All others are loaded
// on demand, by ctypes, dlopen or as plugins.
#pragma once

#include "env/target.h"
#include "survey/facts.h"

namespace tcfix::survey {

/// The names of the libraries that the packages of an environment ask for.
class Demand {
public:
  Demand(llvm::ArrayRef<env::Package> packages, resolve::LibraryStore& store);

  /// Whether a library of another package depends on one of this name.
  bool comesFromOthers(llvm::StringRef name, const env::Package& than) const;

private:
  /// Sites and names of the packages that ask, by the name that they ask for.
  std::map<std::string, std::vector<std::string>> askers;
};

/// Sets what each library of the package is. Without a demand, it is found out where it matters.
void findNeeds(PackageFacts& facts, const env::Target& target, resolve::LibraryStore& store,
               const Demand* demand);

} // namespace tcfix::survey
