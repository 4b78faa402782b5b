#include "plan/rules.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::plan {

namespace {

bool isSameName(llvm::StringRef a, llvm::StringRef b, Platform platform) {
  return platform == Platform::Windows ? a.equals_insensitive(b) : a == b;
}

} // namespace

std::vector<Unmet> findUnmet(const Draft& draft, const Simulation& simulation) {
  using State = resolve::Binding::State;
  std::map<std::string, State> states;
  for (const resolve::Binding& binding : simulation.directBindings(draft.library(), draft.wanted()))
    states[binding.dependency] = binding.state;
  std::vector<Unmet> unmet;
  for (size_t index : draft.dependencies()) {
    const std::string& name = draft.wanted().dependencies[index].name;
    auto state = states.find(name);
    if (state == states.end() || state->second == State::Missing || state->second == State::Unknown)
      unmet.push_back({index, baseName(name).str()});
  }
  return unmet;
}

void leadToTorch(Draft& draft, const PackageFacts& facts, const Simulation& simulation) {
  if (!facts.torch)
    return;
  for (const Unmet& unmet : findUnmet(draft, simulation)) {
    if (llvm::none_of(facts.torchNames, [&](const std::string& name) {
          return isSameName(name, unmet.name, facts.platform);
        }))
      continue;
    if (facts.platform == Platform::Windows)
      draft.delay(unmet.dependency);
    draft.addSearchPath(
        searchPathTo(facts, draft.library(), facts.torch->libFolder, simulation.disk()),
        {Reason::Kind::LeadsTo, "torch " + facts.torch->version});
  }
}

} // namespace tcfix::plan
