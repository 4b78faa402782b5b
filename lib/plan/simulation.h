// What a plan would come to: the package's libraries, as drafted, in simulated processes.
#pragma once

#include "plan/draft.h"
#include "resolve/explain.h"

namespace tcfix::plan {

enum class Regime {
  Bare,      ///< nothing is loaded yet
  Preloaded, ///< torch is imported, as torchcodec does
};

/// A group's libraries loaded one after the other into one process.
struct GroupLoads {
  std::vector<resolve::LoadResult> results;             ///< one for each library of the group
  resolve::Verdict verdict = resolve::Verdict::Unknown; ///< all of them together
};

using Looks = std::map<std::string, resolve::Disguise>; ///< by host path

class Simulation {
public:
  /// `store` must outlive it. With options for it the package's results are explained.
  Simulation(const PackageFacts& facts, resolve::LibraryStore& store,
             std::optional<resolve::ExplainOptions> explaining = {});

  /// Libraries without a look are simulated as their files are.
  GroupLoads load(const Group& group, const Looks& looks, Regime regime) const;

  /// How a library's own dependencies are met in a process where nothing else is loaded.
  std::vector<resolve::Binding> directBindings(const LibraryFacts& library,
                                               const resolve::Disguise& look) const;

  const io::TargetDisk& disk() const { return store.disk(); }

private:
  resolve::LibraryStore& store;
  std::optional<resolve::ExplainOptions> explaining;
  resolve::Session bare;
  resolve::Session preloaded;
};

/// The looks of drafts, and of libraries as the installer left them.
Looks looksOf(llvm::ArrayRef<Draft> drafts);
Looks originalLooks(const Group& group);

} // namespace tcfix::plan
