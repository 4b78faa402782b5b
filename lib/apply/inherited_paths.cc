#include "apply/inherited_paths.h"

#include "image/names.h"
#include "resolve/session.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::apply {

namespace path = llvm::sys::path;
using resolve::Binding;
using resolve::LoadResult;

namespace {

constexpr size_t kMostNeighbours = 2000; // each takes about 50 µs
constexpr size_t kMostNamed = 6;

bool bringsRunpath(const Slice& before, llvm::ArrayRef<Change> changes) {
  for (const Change& change : changes)
    if (change.operation == Operation::SetRpathKind)
      return change.value == nameOf(SearchPathKind::Runpath);
  return !before.searchPathKind && llvm::any_of(changes, [](const Change& change) {
    return change.operation == Operation::AddRpath;
  });
}

resolve::LibraryOverride overrideFor(const Slice& slice) {
  return {slice.dependencies, {}, slice.searchPaths, slice.searchPathKind};
}

std::string listOf(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed)
    text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return text;
}

/// The dependencies that were found before and are not found after.
std::vector<std::string> lostBetween(const LoadResult& before, const LoadResult& after) {
  std::set<std::pair<std::string, std::string>> found;
  for (const Binding& binding : before.bindings)
    if (binding.state == Binding::State::Found)
      found.insert({binding.library, binding.dependency});
  std::vector<std::string> lost;
  for (const Binding& binding : after.bindings)
    if ((binding.state == Binding::State::Missing || binding.state == Binding::State::Unknown) &&
        found.count({binding.library, binding.dependency}) &&
        !llvm::is_contained(lost, binding.dependency))
      lost.push_back(binding.dependency);
  return lost;
}

} // namespace

class InheritedPaths::Surroundings {
public:
  explicit Surroundings(bool isForThisMachine)
      : disk(io::TargetDisk({.knowsAbsolutePaths = isForThisMachine}).remembering()), store(disk) {}

  /// Libraries with DT_RPATH that load this one, directly or indirectly, by name.
  std::vector<std::string> loadersOf(const std::string& file) {
    const std::vector<std::string> neighbours = neighboursOf(file);
    std::set<std::string> names = namesOf(file), reached;
    std::vector<std::string> loaders;
    for (size_t known = 0; known != names.size();) {
      known = names.size();
      for (const std::string& neighbour : neighbours) {
        const Slice* slice = sliceOf(neighbour);
        if (!slice || reached.count(neighbour) ||
            llvm::none_of(slice->dependencies,
                          [&](const Dependency& one) { return names.count(one.name) != 0; }))
          continue;
        reached.insert(neighbour);
        names.merge(namesOf(neighbour));
        if (slice->searchPathKind == SearchPathKind::Rpath)
          loaders.push_back(neighbour);
      }
    }
    return loaders;
  }

  LoadResult load(const std::string& root, const Slice& slice, const std::string& changed = {}) {
    resolve::Session session(store, {.arch = slice.arch, .isPython = true});
    if (!changed.empty())
      session.overrideLibrary(changed, overrideFor(slice));
    return session.load(root);
  }

  io::TargetDisk disk;
  resolve::LibraryStore store;

private:
  const Slice* sliceOf(const std::string& file) {
    llvm::Expected<const Image*> image = store.image(file);
    if (!image) {
      llvm::consumeError(image.takeError()); // not a library
      return nullptr;
    }
    return (*image)->format == Format::Elf ? &(*image)->slices.front() : nullptr;
  }

  std::set<std::string> namesOf(const std::string& file) {
    const Slice* slice = sliceOf(file);
    std::set<std::string> names = {path::filename(file).str()};
    if (slice && slice->identity)
      names.insert(*slice->identity);
    return names;
  }

  std::vector<std::string> neighboursOf(const std::string& file) const {
    const std::string own = path::parent_path(file).str(), above = path::parent_path(own).str();
    std::vector<std::string> directories = {own, above};
    for (const std::string& name : disk.list(above))
      if (std::string directory = above + "/" + name; directory != own && disk.isFolder(directory))
        directories.push_back(std::move(directory));
    std::vector<std::string> files;
    for (const std::string& directory : directories)
      for (const std::string& name : disk.list(directory))
        if (llvm::StringRef(name).contains(".so") && files.size() < kMostNeighbours)
          files.push_back(directory + "/" + name);
    return files;
  }
};

InheritedPaths::InheritedPaths()
    : here(std::make_unique<Surroundings>(true)), elsewhere(std::make_unique<Surroundings>(false)) {
}
InheritedPaths::~InheritedPaths() = default;

std::vector<std::string> InheritedPaths::warningsFor(const std::string& file, Bytes bytes,
                                                     const EditOutcome& edit) {
  if (formats::sniff(bytes) != Format::Elf || edit.rewrite.isIdentity())
    return {};
  auto read = [](Bytes content) {
    llvm::Expected<Image> image = formats::inspect(content, {.isThorough = false});
    if (image)
      return image->slices.front();
    llvm::consumeError(image.takeError()); // does not happen: the edit has read it
    return Slice();
  };
  const Slice before = read(bytes);
  if (!bringsRunpath(before, edit.changes))
    return {};
  Surroundings& around = formats::isForThisMachine(Format::Elf, before.arch) ? *here : *elsewhere;
  const std::string changed = around.disk.adopt(file).value_or(file);
  std::vector<std::string> roots = around.loadersOf(changed);
  if (before.searchPathKind == SearchPathKind::Rpath)
    roots.insert(roots.begin(), changed);
  if (roots.empty())
    return {};
  const Slice after = read(rewritten(edit.rewrite, bytes));
  std::vector<std::string> warnings;
  for (const std::string& root : roots) {
    const std::vector<std::string> lost =
        lostBetween(around.load(root, before), around.load(root, after, changed));
    if (lost.empty())
      continue;
    warnings.push_back(
        (root == changed
             ? "DT_RUNPATH, unlike DT_RPATH, is not inherited by dependencies"
             : "DT_RUNPATH disables the DT_RPATH inherited from " + path::filename(root).str()) +
        "; no longer found: " + listOf(lost) + " (add --rpath-kind rpath)");
  }
  return warnings;
}

} // namespace tcfix::apply
