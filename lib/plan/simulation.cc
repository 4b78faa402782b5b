#include "plan/simulation.h"

#include "resolve/verdict.h"

#include <llvm/Support/Path.h>

namespace tcfix::plan {

using resolve::LoadResult;
using resolve::Session;
using resolve::Verdict;

namespace {

// `import torch` brings all of these in. One that fails leaves the process without it.
Session withTorch(const PackageFacts& facts, const Session& bare) {
  Session session = bare.clone();
  if (facts.torch)
    for (const std::string& name : facts.torchNames)
      session.load(facts.torch->libFolder + "/" + name);
  return session;
}

} // namespace

Simulation::Simulation(const PackageFacts& facts, resolve::LibraryStore& store,
                       std::optional<resolve::ExplainOptions> explaining)
    : store(store), explaining(std::move(explaining)), bare(store, facts.process),
      preloaded(withTorch(facts, bare)) {}

GroupLoads Simulation::load(const Group& group, const Looks& looks, Regime regime) const {
  Session session = (regime == Regime::Bare ? bare : preloaded).clone();
  for (const auto& [path, look] : looks)
    session.disguise(path, look);
  GroupLoads loads;
  loads.verdict = Verdict::Loads;
  for (const LibraryFacts* library : group.libraries) {
    loads.results.push_back(session.load(library->path, explaining ? &*explaining : nullptr));
    loads.verdict = both(loads.verdict, loads.results.back().verdict);
  }
  return loads;
}

std::vector<resolve::Binding> Simulation::directBindings(const LibraryFacts& library,
                                                         const resolve::Disguise& look) const {
  Session session = bare.clone();
  session.disguise(library.path, look);
  std::vector<resolve::Binding> direct;
  for (resolve::Binding& binding : session.load(library.path).bindings)
    if (binding.library == library.path)
      direct.push_back(std::move(binding));
  return direct;
}

Looks looksOf(llvm::ArrayRef<Draft> drafts) {
  Looks looks;
  for (const Draft& draft : drafts)
    looks[draft.library().path] = draft.look();
  return looks;
}

Looks originalLooks(const Group& group) {
  Looks looks;
  for (const LibraryFacts* library : group.libraries)
    looks[library->path] = library->original;
  return looks;
}

} // namespace tcfix::plan
