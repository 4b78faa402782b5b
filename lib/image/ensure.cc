#include "image/ensure.h"

#include <algorithm>

namespace tcfix {

namespace {

using Paths = std::vector<std::string>;

bool contains(const Paths& paths, const std::string& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

void removeRepeats(Paths& paths) {
  Paths unique;
  for (std::string& path : paths)
    if (!contains(unique, path))
      unique.push_back(std::move(path));
  paths = std::move(unique);
}

Paths without(const Paths& paths, const Paths& others, const Paths& excluded) {
  Paths rest;
  for (const std::string& path : paths)
    if (contains(others, path) && !contains(excluded, path) && !contains(rest, path))
      rest.push_back(path);
  return rest;
}

// The smallest set of entries named by edits whose moves explain the new order of the entries that
// are in both lists.
Paths movedPaths(const Paths& before, const Paths& after, const Paths& named) {
  Paths moved = without(named, without(before, after, {}), {});
  for (const std::string& path : Paths(moved)) {
    Paths fewer = moved;
    fewer.erase(std::find(fewer.begin(), fewer.end(), path));
    if (without(before, after, fewer) == without(after, before, fewer))
      moved = fewer;
  }
  return moved;
}

// The net difference between two lists. It is computed from the lists, not from the edits, so that
// adding an entry and removing it again is no change.
std::vector<Change> differences(const Paths& before, const Paths& after,
                                const std::vector<ReplaceSearchPath>& replacements,
                                const Paths& named) {
  std::vector<Change> changes;
  Paths explained;
  for (const ReplaceSearchPath& replacement : replacements) {
    bool isReal = contains(before, replacement.from) && !contains(after, replacement.from) &&
                  contains(after, replacement.to) && !contains(before, replacement.to);
    if (!isReal || contains(explained, replacement.to))
      continue;
    changes.push_back({Operation::ReplaceRpath, replacement.to, replacement.from, {}, {}});
    explained.push_back(replacement.from);
    explained.push_back(replacement.to);
  }
  Paths seen;
  for (const std::string& path : before) {
    if (contains(seen, path))
      changes.push_back({Operation::RemoveRpath, path, {}, "duplicate", {}});
    else if (!contains(after, path) && !contains(explained, path))
      changes.push_back({Operation::RemoveRpath, path, {}, {}, {}});
    seen.push_back(path);
  }
  for (const std::string& path : after)
    if (!contains(before, path) && !contains(explained, path))
      changes.push_back({Operation::AddRpath, path, {}, {}, {}});

  for (const std::string& path : movedPaths(before, after, named))
    changes.push_back({Operation::AddRpath, path, {}, "moved", {}});
  return changes;
}

struct Ensurer {
  Paths& paths;
  std::vector<ReplaceSearchPath> replacements = {};
  Paths named = {}; ///< entries that edits add or move
  std::vector<std::string> warnings = {};

  void operator()(const AddSearchPath& add) {
    named.push_back(add.path);
    if (add.atFront) {
      remove(add.path);
      paths.insert(paths.begin(), add.path);
    } else if (!contains(paths, add.path)) {
      paths.push_back(add.path);
    }
  }
  void operator()(const RemoveSearchPath& edit) { remove(edit.path); }
  void operator()(const ReplaceSearchPath& replace) {
    if (!contains(paths, replace.from) && !contains(paths, replace.to))
      warnings.push_back("no search path " + replace.from + " to replace");
    std::replace(paths.begin(), paths.end(), replace.from, replace.to);
    replacements.push_back(replace);
    named.push_back(replace.to);
    removeRepeats(paths);
  }

private:
  void remove(const std::string& path) {
    paths.erase(std::remove(paths.begin(), paths.end(), path), paths.end());
  }
};

} // namespace

EnsuredSearchPaths ensureSearchPaths(const Paths& current, llvm::ArrayRef<SearchPathEdit> edits) {
  EnsuredSearchPaths result;
  result.paths = current;
  removeRepeats(result.paths);
  Ensurer ensurer{result.paths};
  for (const SearchPathEdit& edit : edits)
    std::visit(ensurer, edit);
  result.warnings = std::move(ensurer.warnings);
  result.changes = differences(current, result.paths, ensurer.replacements, ensurer.named);
  return result;
}

} // namespace tcfix
