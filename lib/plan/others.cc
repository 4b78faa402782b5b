#include "plan/rules.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::plan {

namespace {

using resolve::Binding;

// Only names without a directory are searched for in search paths.
bool isSearchedFor(llvm::StringRef dependency, Platform platform) {
  if (platform == Platform::MacOs)
    return dependency.starts_with("@rpath/");
  return !dependency.contains('/');
}

std::optional<size_t> indexOf(const Draft& draft, llvm::StringRef dependency) {
  for (size_t index : draft.dependencies())
    if (draft.wanted().dependencies[index].name == dependency)
      return index;
  return std::nullopt;
}

// By name, because a file that cannot be read is not among the group's libraries.
bool isOfGroup(llvm::StringRef name, const Group& group, const recipe::Recipe& recipe) {
  const int major = recipe.roleOf(name).major;
  return major != 0 && major == group.major;
}

std::string findFolder(llvm::StringRef name, const LibraryFacts& library, const PackageFacts& facts,
                       const io::TargetDisk& disk) {
  std::string own = llvm::sys::path::parent_path(library.path).str();
  if (disk.find(own, name))
    return own;
  for (const std::string& folder : facts.otherFolders)
    if (disk.find(folder, name))
      return folder;
  return {};
}

std::optional<std::string> missingLibpython(const Draft& draft,
                                            const resolve::LibraryOverride& wanted,
                                            const Simulation& simulation) {
  for (const Binding& binding : simulation.directBindings(draft.library(), wanted))
    if (llvm::StringRef(binding.dependency).starts_with("libpython") &&
        binding.state == Binding::State::Missing)
      return binding.dependency;
  return std::nullopt;
}

} // namespace

GroupLoads addPathsToOthers(llvm::MutableArrayRef<Draft> drafts, const Group& group,
                            const PackageFacts& facts, const Simulation& simulation) {
  bool isChanged = false;
  GroupLoads loads = simulation.load(group, overridesOf(drafts), Regime::Bare);
  for (size_t i = 0; i < drafts.size(); ++i) {
    Draft& draft = drafts[i];
    for (const Binding& binding : loads.results[i].bindings) {
      if (binding.library != draft.library().path)
        continue;
      if (binding.state != Binding::State::Missing && binding.state != Binding::State::Unknown)
        continue;
      if (isOfGroup(baseName(binding.dependency), group, facts.package.recipe))
        continue; // it will be loaded before, if it loads
      if (providers::parseFfmpegName(binding.dependency))
        continue; // the FFmpeg rule chooses one place for all of them
      std::optional<size_t> index = indexOf(draft, binding.dependency);
      llvm::StringRef name = baseName(binding.dependency);
      std::string folder = findFolder(name, draft.library(), facts, simulation.disk());
      if (!index || folder.empty())
        continue;
      if (!isSearchedFor(binding.dependency, facts.platform)) {
        // The name has a directory, but the user's directory takes precedence.
        if (facts.platform != Platform::MacOs || !llvm::is_contained(facts.namedFolders, folder))
          continue;
        draft.rename(*index, "@rpath/" + name.str(), {Reason::Kind::SearchList});
      }
      if (facts.platform == Platform::Windows)
        draft.delay(*index);
      draft.addSearchPath(searchPathTo(facts, draft.library(), folder, simulation.disk()),
                          {Reason::Kind::ToFind, name.str()});
      isChanged = true;
    }
  }
  if (isChanged)
    loads = simulation.load(group, overridesOf(drafts), Regime::Bare);
  return loads;
}

void dropLibpython(Draft& draft, const PackageFacts& facts, const Simulation& simulation) {
  if (facts.platform != Platform::Linux)
    return;
  std::optional<std::string> libpython = missingLibpython(draft, draft.wanted(), simulation);
  // A libpython that only the planned RUNPATH hides is available and must not be dropped.
  if (libpython && missingLibpython(draft, draft.library().original, simulation))
    draft.drop(*indexOf(draft, *libpython), {Reason::Kind::InterpreterHasIt});
}

void finishPortableElf(Draft& draft, bool mustBeInherited) {
  if (!draft.edits().empty() && (draft.library().original.searchPaths.empty() || mustBeInherited))
    draft.useKind(SearchPathKind::Rpath, {Reason::Kind::RunpathHides});
  for (size_t index : draft.dependencies())
    if (llvm::StringRef(draft.wanted().dependencies[index].name).starts_with("libpython"))
      draft.drop(index, {Reason::Kind::InterpreterLacksIt});
}

} // namespace tcfix::plan
