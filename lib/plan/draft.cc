#include "plan/draft.h"

#include "base/paths.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <set>

namespace tcfix::plan {

namespace path = llvm::sys::path;

Draft::Draft(const PackageFacts& facts, const LibraryFacts& library,
             std::optional<SearchPathKind> wantedKind)
    : subject(&library), appearance(library.original) {
  if (facts.platform == Format::Elf)
    kind = wantedKind ? *wantedKind : appearance.searchPathKind.value_or(SearchPathKind::Runpath);
  appearance.isDropped.resize(appearance.dependencies.size());
  std::vector<std::string>& paths = appearance.searchPaths;
  std::set<std::string> seen;
  for (const std::string& entry : subject->original.searchPaths)
    if (!seen.insert(entry).second) {
      // Any edit of the list removes repeated entries; this one asks for nothing else.
      list.push_back({AddSearchPath{entry, false}, "is there more than once"});
      auto last = std::find(paths.rbegin(), paths.rend(), entry);
      paths.erase(std::next(last).base());
    }
  if (facts.platform == Format::Pe)
    list.clear(); // harmless in a list of our own
  settleKind();
}

std::vector<size_t> Draft::dependencies() const {
  std::vector<size_t> present;
  for (size_t i = 0; i < appearance.dependencies.size(); ++i)
    if (!appearance.isDropped[i])
      present.push_back(i);
  return present;
}

void Draft::addSearchPath(const std::string& entry, const std::string& reason) {
  if (llvm::is_contained(appearance.searchPaths, entry))
    return;
  appearance.searchPaths.push_back(entry);
  list.push_back({AddSearchPath{entry, false}, reason});
  settleKind();
}

// A library without search paths has no kind: not even RUNPATH's silence about its loaders'.
void Draft::settleKind() {
  if (!kind || appearance.searchPaths.empty() || appearance.searchPathKind == kind)
    return;
  bool isDefault = !appearance.searchPathKind && kind == SearchPathKind::Runpath;
  appearance.searchPathKind = kind;
  if (!isDefault)
    list.push_back({SetSearchPathKind{*kind}, kind == SearchPathKind::Rpath
                                                  ? "with RUNPATH it would not load"
                                                  : "with RPATH it would not load"});
}

void Draft::rename(size_t dependency, const std::string& name, const std::string& reason) {
  std::string& present = appearance.dependencies[dependency].name;
  if (present == name)
    return;
  list.push_back({RenameDependency{present, name}, reason});
  present = name;
}

void Draft::drop(size_t dependency, const std::string& reason) {
  list.push_back({RemoveDependency{appearance.dependencies[dependency].name}, reason});
  appearance.isDropped[dependency] = true;
}

void Draft::delay(size_t dependency, const std::string& reason) {
  Dependency& present = appearance.dependencies[dependency];
  if (present.kind == DependencyKind::Delay)
    return;
  present.kind = DependencyKind::Delay;
  list.push_back({DelayDependency{present.name, false}, reason});
}

std::string searchPathTo(const PackageFacts& facts, const LibraryFacts& library,
                         const std::string& folder, const io::TargetDisk& disk) {
  if (!isWithin(folder, facts.root) || !isWithin(library.path, facts.root))
    return disk.targetPath(folder);
  return relativeSearchPath(facts.platform, path::parent_path(library.path), folder);
}

std::string relativeSearchPath(Format platform, llvm::StringRef from, llvm::StringRef to) {
  std::string relative = relativePath(from, to);
  if (!relative.empty())
    relative.insert(0, "/");
  if (platform == Format::MachO)
    return "@loader_path" + relative;
  if (platform == Format::Pe)
    std::replace(relative.begin(), relative.end(), '/', '\\');
  return "$ORIGIN" + relative;
}

} // namespace tcfix::plan
