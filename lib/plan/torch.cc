#include "plan/rules.h"

#include "base/paths.h"
#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::plan {

namespace {

bool isSameName(llvm::StringRef a, llvm::StringRef b, Platform platform) {
  return platform == Platform::Windows ? a.equals_insensitive(b) : a == b;
}

// From a library in its package's directory to torch's directory beside it.
std::string usualTorchEntry(const LibraryFacts& library, const PackageFacts& facts) {
  llvm::StringRef directory = llvm::sys::path::parent_path(library.path);
  llvm::StringRef site = facts.package.site;
  if (site == directory || !isWithin(library.path, site))
    site = llvm::sys::path::parent_path(directory);
  return relativeSearchPath(facts.platform, directory, joined(site, "torch/lib"));
}

} // namespace

std::vector<Unresolved> findUnresolved(const Draft& draft, const Simulation& simulation) {
  using State = resolve::Binding::State;
  std::map<std::string, State> states;
  for (const resolve::Binding& binding : simulation.directBindings(draft.library(), draft.wanted()))
    states[binding.dependency] = binding.state;
  std::vector<Unresolved> unresolved;
  for (size_t index : draft.dependencies()) {
    const std::string& name = draft.wanted().dependencies[index].name;
    auto state = states.find(name);
    if (state == states.end() || state->second == State::Missing || state->second == State::Unknown)
      unresolved.push_back({index, baseName(name).str()});
  }
  return unresolved;
}

void addPathToTorch(Draft& draft, const PackageFacts& facts, const Simulation& simulation) {
  const bool isDiskUnknown = !simulation.disk().knowsAbsolutePaths();
  auto isTorchs = [&](const std::string& dependency) {
    return (isDiskUnknown && providers::isTorchLibrary(dependency)) ||
           llvm::any_of(facts.torchNames, [&](const std::string& name) {
             return isSameName(name, dependency, facts.platform);
           });
  };
  for (const Unresolved& unresolved : findUnresolved(draft, simulation)) {
    if (!isTorchs(unresolved.name))
      continue;
    if (facts.platform == Platform::Windows)
      draft.delay(unresolved.dependency);
    if (facts.torch)
      draft.addSearchPath(
          searchPathTo(facts, draft.library(), facts.torch->libFolder, simulation.disk()),
          {Reason::Kind::ToFind, "torch " + facts.torch->version});
    else
      draft.addSearchPath(usualTorchEntry(draft.library(), facts), {Reason::Kind::ToFind, "torch"});
  }
}

} // namespace tcfix::plan
