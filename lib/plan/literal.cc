#include "plan/rules.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::plan {

namespace {

using resolve::Binding;

bool isThrough(const Binding& binding, llvm::ArrayRef<std::string> entries) {
  return llvm::any_of(entries,
                      [&](const std::string& entry) { return binding.how.isThrough(entry); });
}

/// How the selected dependencies resolve if the others are ignored: a sibling that has not been
/// repaired yet must not affect the result.
std::vector<Binding> bindingsOf(const Draft& draft, resolve::LibraryOverride wanted,
                                llvm::function_ref<bool(size_t dependency)> isWanted,
                                const Simulation& simulation) {
  for (size_t i = 0; i < wanted.dependencies.size(); ++i)
    wanted.isDropped[i] = wanted.isDropped[i] || !isWanted(i);
  return simulation.directBindings(draft.library(), wanted);
}

// Windows has no search paths: the embedded list applies only to delayed DLLs. FFmpeg's libraries
// are assumed to be found if the entries cannot be checked on this machine.
void delayWhatTheyLeadTo(Draft& draft, const Request& request, const Simulation& simulation) {
  for (const Unresolved& one : findUnresolved(draft, simulation)) {
    resolve::LibraryOverride trial = draft.wanted();
    trial.dependencies[one.dependency].kind = DependencyKind::Delay;
    const std::vector<Binding> found = bindingsOf(
        draft, std::move(trial), [&](size_t i) { return i == one.dependency; }, simulation);
    if (found.empty())
      continue;
    bool isTrusted = found.front().state == Binding::State::Unknown &&
                     providers::parseFfmpegName(one.name) &&
                     !simulation.disk().knowsAbsolutePaths();
    if (isTrusted || isThrough(found.front(), request.searchPaths))
      draft.delay(one.dependency);
  }
}

} // namespace

void addLiteralEntries(Draft& draft, const Request& request, const PackageFacts& facts,
                       const Simulation& simulation) {
  for (const std::string& entry : request.searchPaths)
    draft.addSearchPath(entry, {});
  if (facts.platform == Platform::Windows && !request.searchPaths.empty())
    delayWhatTheyLeadTo(draft, request, simulation);
}

bool findsFfmpegByLiteralEntries(const Draft& draft, const Request& request,
                                 const Simulation& simulation) {
  if (request.searchPaths.empty())
    return false;
  const std::vector<Dependency>& dependencies = draft.wanted().dependencies;
  const std::vector<Binding> bindings = bindingsOf(
      draft, draft.wanted(),
      [&](size_t i) { return providers::parseFfmpegName(dependencies[i].name).has_value(); },
      simulation);
  return !bindings.empty() && llvm::all_of(bindings, [&](const Binding& binding) {
    return isThrough(binding, request.searchPaths);
  });
}

bool isOnThisMachine(llvm::StringRef entry, const io::TargetDisk& disk) {
  return disk.knowsAbsolutePaths() || entry.starts_with("@loader_path") ||
         entry.starts_with("$ORIGIN");
}

bool findsAnyDependency(const std::string& entry, const Draft& draft,
                        const Simulation& simulation) {
  resolve::LibraryOverride alone = draft.wanted();
  alone.searchPaths = {entry};
  return llvm::any_of(draft.dependencies(), [&](size_t dependency) {
    const std::vector<Binding> found =
        bindingsOf(draft, alone, [&](size_t i) { return i == dependency; }, simulation);
    return !found.empty() && isThrough(found.front(), entry);
  });
}

} // namespace tcfix::plan
