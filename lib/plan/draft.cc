#include "plan/draft.h"

#include "base/paths.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <set>

namespace tcfix::plan {

namespace path = llvm::sys::path;

Draft::Draft(const survey::PackageFacts& facts, const survey::LibraryFacts& library,
             std::optional<SearchPathKind> wantedKind)
    : subject(&library), result(library.original) {
  if (facts.platform == Platform::Linux)
    kind = wantedKind ? *wantedKind : result.searchPathKind.value_or(SearchPathKind::Runpath);
  result.isDropped.resize(result.dependencies.size());
  std::vector<std::string>& paths = result.searchPaths;
  std::set<std::string> seen;
  for (const std::string& entry : subject->original.searchPaths)
    if (!seen.insert(entry).second) {
      // Any edit of the list removes duplicates; this edit has no other effect.
      list.push_back({AddSearchPath{entry, false}, {Reason::Kind::Repeated}});
      auto last = std::find(paths.rbegin(), paths.rend(), entry);
      paths.erase(std::next(last).base());
    }
  if (facts.platform == Platform::Windows)
    list.clear(); // tcfix's own list may have duplicates
  seen.clear();
  if (facts.platform == Platform::MacOs)
    for (size_t i = 0; i < result.dependencies.size(); ++i)
      if (const std::string& name = result.dependencies[i].name; !seen.insert(name).second) {
        // Any edit merges duplicate dependencies.
        list.push_back({RenameDependency{name, name}, {Reason::Kind::Repeated}});
        result.isDropped[i] = true;
      }
  settleKind();
}

std::vector<size_t> Draft::dependencies() const {
  std::vector<size_t> present;
  for (size_t i = 0; i < result.dependencies.size(); ++i)
    if (!result.isDropped[i])
      present.push_back(i);
  return present;
}

void Draft::addSearchPath(const std::string& entry, Reason reason) {
  if (llvm::is_contained(result.searchPaths, entry))
    return;
  result.searchPaths.push_back(entry);
  list.push_back({AddSearchPath{entry, false}, std::move(reason)});
  settleKind();
}

// A library without search paths has no kind. An empty RUNPATH would still disable inherited ones.
void Draft::settleKind() {
  if (!kind || result.searchPaths.empty() || result.searchPathKind == kind)
    return;
  const bool isDefault = !result.searchPathKind && kind == SearchPathKind::Runpath;
  result.searchPathKind = kind;
  if (!isDefault)
    list.push_back(
        {SetSearchPathKind{*kind},
         {Reason::Kind::OtherKindFails, kind == SearchPathKind::Rpath ? "RUNPATH" : "RPATH"}});
}

void Draft::useKind(SearchPathKind wanted, Reason reason) {
  kind = wanted;
  if (result.searchPaths.empty() || result.searchPathKind == kind)
    return;
  result.searchPathKind = kind;
  list.push_back({SetSearchPathKind{wanted}, std::move(reason)});
}

void Draft::rename(size_t dependency, const std::string& name, Reason reason) {
  std::string& present = result.dependencies[dependency].name;
  if (present == name)
    return;
  list.push_back({RenameDependency{present, name}, std::move(reason)});
  present = name;
}

void Draft::drop(size_t dependency, Reason reason) {
  list.push_back({RemoveDependency{result.dependencies[dependency].name}, std::move(reason)});
  result.isDropped[dependency] = true;
}

void Draft::delay(size_t dependency) {
  Dependency& present = result.dependencies[dependency];
  if (present.kind == DependencyKind::Delay)
    return;
  present.kind = DependencyKind::Delay;
  list.push_back({DelayDependency{present.name, false}, {Reason::Kind::SearchList}});
}

std::string searchPathTo(const survey::PackageFacts& facts, const survey::LibraryFacts& library,
                         const std::string& folder, const io::TargetDisk& disk) {
  if (!isWithin(folder, facts.root) || !isWithin(library.path, facts.root))
    return disk.targetPath(folder);
  return relativeSearchPath(facts.platform, path::parent_path(library.path), folder);
}

std::string relativeSearchPath(Platform platform, llvm::StringRef from, llvm::StringRef to) {
  std::string relative = relativePath(from, to);
  if (!relative.empty())
    relative.insert(0, "/");
  if (platform == Platform::MacOs)
    return "@loader_path" + relative;
  if (platform == Platform::Windows)
    std::replace(relative.begin(), relative.end(), '/', '\\');
  return "$ORIGIN" + relative;
}

survey::Overrides overridesOf(llvm::ArrayRef<Draft> drafts) {
  survey::Overrides overrides;
  for (const Draft& draft : drafts)
    overrides[draft.library().path] = draft.wanted();
  return overrides;
}

} // namespace tcfix::plan
