#include "plan/rules.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::plan {

namespace {

using resolve::Binding;

// Only names without a folder of their own are looked for in search paths.
bool isSearchedFor(llvm::StringRef dependency, Format platform) {
  if (platform == Format::MachO)
    return dependency.starts_with("@rpath/");
  return !dependency.contains('/');
}

std::optional<size_t> indexOf(const Draft& draft, llvm::StringRef dependency) {
  for (size_t index : draft.dependencies())
    if (draft.look().dependencies[index].name == dependency)
      return index;
  return std::nullopt;
}

// By its name, since a file that cannot be read is not among the group's libraries.
bool isOfGroup(llvm::StringRef name, const Group& group) {
  LibraryFacts named;
  named.name = name.str();
  readName(named);
  return named.major != 0 && named.major == group.major;
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

std::optional<std::string> missingLibpython(const Draft& draft, const resolve::Disguise& look,
                                            const Simulation& simulation) {
  for (const Binding& binding : simulation.directBindings(draft.library(), look))
    if (llvm::StringRef(binding.dependency).starts_with("libpython") &&
        binding.state == Binding::State::Missing)
      return binding.dependency;
  return std::nullopt;
}

} // namespace

GroupLoads leadToOthers(llvm::MutableArrayRef<Draft> drafts, const Group& group,
                        const PackageFacts& facts, const Simulation& simulation) {
  bool isChanged = false;
  GroupLoads loads = simulation.load(group, looksOf(drafts), Regime::Bare);
  for (size_t i = 0; i < drafts.size(); ++i) {
    Draft& draft = drafts[i];
    for (const Binding& binding : loads.results[i].bindings) {
      if (binding.library != draft.library().path ||
          !isSearchedFor(binding.dependency, facts.platform))
        continue;
      if (binding.state != Binding::State::Missing && binding.state != Binding::State::Unknown)
        continue;
      if (isOfGroup(baseName(binding.dependency), group))
        continue; // it will be loaded already, if it loads at all
      if (providers::parseFfmpegName(binding.dependency))
        continue; // a rule of its own chooses where all of FFmpeg comes from
      std::optional<size_t> index = indexOf(draft, binding.dependency);
      llvm::StringRef name = baseName(binding.dependency);
      std::string folder = findFolder(name, draft.library(), facts, simulation.disk());
      if (!index || folder.empty())
        continue;
      if (facts.platform == Format::Pe)
        draft.delay(*index, "found through the search list");
      draft.addSearchPath(searchPathTo(facts, draft.library(), folder, simulation.disk()),
                          "leads to " + name.str());
      isChanged = true;
    }
  }
  return isChanged ? simulation.load(group, looksOf(drafts), Regime::Bare) : loads;
}

void dropLibpython(Draft& draft, const PackageFacts& facts, const Simulation& simulation) {
  if (facts.platform != Format::Elf)
    return;
  std::optional<std::string> libpython = missingLibpython(draft, draft.look(), simulation);
  // One that only our own RUNPATH hides is there.
  if (libpython && missingLibpython(draft, draft.library().original, simulation))
    draft.drop(*indexOf(draft, *libpython),
               "nothing provides it, and the interpreter has its symbols");
}

} // namespace tcfix::plan
