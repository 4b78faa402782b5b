// The package's libraries in simulated processes: as the files are, or with the overrides of a
// plan.
#pragma once

#include "env/import_order.h"
#include "resolve/explain.h"
#include "survey/facts.h"

#include <mutex>

namespace tcfix::survey {

enum class Regime {
  Bare, ///< nothing is loaded yet
  /// The package's Python code has run up to this point: torch and what the code imports before are
  /// imported, siblings are loaded.
  Preloaded,
};

/// The libraries of a group, loaded one after the other into one process.
struct GroupLoads {
  std::vector<resolve::LoadResult> results;             ///< one for each library of the group
  resolve::Verdict verdict = resolve::Verdict::Unknown; ///< of all of them
};

/// How each group of a package loads, in both regimes.
struct PackageLoads {
  std::vector<GroupLoads> preloaded, bare;
};

using Overrides = std::map<std::string, resolve::LibraryOverride>; ///< by host path

/// Thread-safe.
class Simulation {
public:
  /// `facts` and `store` must outlive this object. `variables` are those of the process. With
  /// `explaining`, failures of the package's libraries are explained. With `trustsTorch`, the
  /// symbols that torch's libraries need from each other are not checked.
  Simulation(const PackageFacts& facts, resolve::LibraryStore& store,
             const std::map<std::string, std::string>& variables = {},
             std::optional<resolve::ExplainOptions> explaining = {}, bool trustsTorch = false);

  GroupLoads load(const Group& group, const Overrides& overrides, Regime regime) const;

  /// All groups, with the files as they are. Without `withBare`, `bare` stays empty.
  PackageLoads loadAll(llvm::ArrayRef<Group> groups, bool withBare = true) const;

  /// How a library's own dependencies resolve in a process where nothing else is loaded.
  std::vector<resolve::Binding> directBindings(const LibraryFacts& library,
                                               const resolve::LibraryOverride& override) const;

  const io::TargetDisk& disk() const { return store.disk(); }

private:
  resolve::LoadResult loadOne(resolve::Session& session, const std::string& path) const {
    return session.load(path, explaining ? &*explaining : nullptr);
  }
  /// Whether the package's Python code may have loaded a library with this file name.
  using SiblingFilter = llvm::function_ref<bool(llvm::StringRef library)>;
  resolve::LoadResult loadAfterSiblings(resolve::Session& session, const std::string& path,
                                        SiblingFilter mayLoad, int depth = 0) const;
  bool mayDependOnOrder(const resolve::LoadResult& result, const std::string& path) const;
  resolve::LoadResult loadAsPackage(resolve::Session& session, const LibraryFacts& library) const;

  resolve::LibraryStore& store;
  std::optional<resolve::ExplainOptions> explaining;
  resolve::Session bare;
  resolve::Session preloaded;
  /// Whether the package's Python code loads libraries; determined on first use.
  bool loadsSiblings() const;

  /// Libraries that the package's Python code may have loaded before others: paths by identity.
  std::map<std::string, std::string> siblings;
  const PackageFacts& facts;
  mutable env::ImportReader imports;
  mutable std::once_flag isCodeRead;
  mutable bool codeLoads = true;
};

/// The libraries of a group as the installer left them.
Overrides originalsOf(const Group& group);

} // namespace tcfix::survey
