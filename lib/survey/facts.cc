#include "survey/facts.h"

#include "resolve/verdict.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <map>

namespace tcfix::survey {

using resolve::Verdict;

std::vector<std::string> PackageFacts::torchLibraries() const {
  std::vector<std::string> paths;
  if (torch)
    for (const std::string& name : torchNames)
      paths.push_back(torch->libFolder + "/" + name);
  return paths;
}

std::string PackageFacts::mainTorchLibrary() const {
  for (const std::string& path : torchLibraries())
    if (llvm::sys::path::filename(path).contains("torch_cpu"))
      return path;
  return {};
}

std::vector<Group> groupsOf(const PackageFacts& facts) {
  std::map<int, Group, std::greater<>> majors;
  std::vector<Group> others;
  for (const LibraryFacts& library : facts.libraries) {
    const int major = library.role.major;
    Group& group = major ? majors[major] : others.emplace_back();
    group.major = major;
    group.libraries.push_back(&library);
  }
  std::vector<Group> groups;
  for (auto& [major, group] : majors) {
    std::stable_sort(group.libraries.begin(), group.libraries.end(),
                     [](const auto* a, const auto* b) { return a->role.rank < b->role.rank; });
    group.need = Group::Need::OneMajor;
    groups.push_back(std::move(group));
  }
  for (Group& group : others) {
    const LibraryFacts& library = *group.libraries.front();
    if (!library.isNeeded || (!majors.empty() && !library.role.isImported))
      group.need = Group::Need::OnDemand;
    groups.push_back(std::move(group));
  }
  return groups;
}

Verdict verdictOf(llvm::ArrayRef<Group> groups, llvm::function_ref<Verdict(size_t group)> verdict,
                  llvm::ArrayRef<int> required) {
  std::optional<Verdict> major, always;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].need == Group::Need::OneMajor)
      major = major ? either(*major, verdict(i)) : verdict(i);
    if (groups[i].need == Group::Need::Always || llvm::is_contained(required, groups[i].major))
      always = always ? both(*always, verdict(i)) : verdict(i);
  }
  const bool hasAll = llvm::all_of(required, [&](int wanted) {
    return llvm::any_of(groups, [&](const Group& group) { return group.major == wanted; });
  });
  if (!hasAll || groups.empty())
    return Verdict::Fails;
  return both(major.value_or(Verdict::Loads), always.value_or(Verdict::Loads));
}

LibraryFacts describeLibrary(const std::string& path, const Slice& slice,
                             const recipe::Recipe& recipe) {
  const std::string name = llvm::sys::path::filename(path).str();
  return {path,
          name,
          recipe.roleOf(name),
          slice.identity,
          {slice.dependencies, {}, slice.searchPaths, slice.searchPathKind}};
}

std::optional<int> ffmpegMajorOf(const LibraryFacts& library) {
  for (const Dependency& dependency : library.original.dependencies)
    if (std::optional<providers::FfmpegName> name = providers::parseFfmpegName(dependency.name))
      if (std::optional<int> major = providers::ffmpegMajorOf(*name))
        return major;
  return std::nullopt;
}

} // namespace tcfix::survey
