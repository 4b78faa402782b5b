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

struct Replacement {
  std::string from;
  std::string to;
};

// The net difference between two lists. Looking at the lists, and not at the edits, is what makes
// "add, then remove again" come to nothing.
std::vector<Change> differences(const Paths& before, const Paths& after,
                                const std::vector<Replacement>& replacements) {
  std::vector<Change> changes;
  Paths explained;
  for (const Replacement& replacement : replacements) {
    bool isReal = contains(before, replacement.from) && !contains(after, replacement.from) &&
                  contains(after, replacement.to) && !contains(before, replacement.to);
    if (!isReal || contains(explained, replacement.to))
      continue;
    changes.push_back({Operation::ReplaceRpath, replacement.to, replacement.from, "asked for", {}});
    explained.push_back(replacement.from);
    explained.push_back(replacement.to);
  }
  Paths seen;
  for (const std::string& path : before) {
    if (contains(seen, path))
      changes.push_back({Operation::RemoveRpath, path, {}, "it was there more than once", {}});
    else if (!contains(after, path) && !contains(explained, path))
      changes.push_back({Operation::RemoveRpath, path, {}, "asked for", {}});
    seen.push_back(path);
  }
  for (const std::string& path : after)
    if (!contains(before, path) && !contains(explained, path))
      changes.push_back({Operation::AddRpath, path, {}, "asked for", {}});

  // An entry that is in both lists but changed its rank was moved to the front.
  Paths keptBefore, keptAfter;
  for (const std::string& path : before)
    if (contains(after, path) && !contains(keptBefore, path))
      keptBefore.push_back(path);
  for (const std::string& path : after)
    if (contains(before, path))
      keptAfter.push_back(path);
  if (keptBefore != keptAfter)
    changes.push_back({Operation::AddRpath, keptAfter.front(), {}, "moved to the front", {}});
  return changes;
}

} // namespace

EnsuredSearchPaths ensureSearchPaths(const Paths& current, llvm::ArrayRef<Edit> edits) {
  EnsuredSearchPaths result;
  Paths& paths = result.paths;
  paths = current;
  std::vector<Replacement> replacements;
  removeRepeats(paths);
  for (const Edit& edit : edits) {
    if (const auto* add = std::get_if<AddSearchPath>(&edit)) {
      if (add->atFront) {
        paths.erase(std::remove(paths.begin(), paths.end(), add->path), paths.end());
        paths.insert(paths.begin(), add->path);
      } else if (!contains(paths, add->path)) {
        paths.push_back(add->path);
      }
    } else if (const auto* remove = std::get_if<RemoveSearchPath>(&edit)) {
      paths.erase(std::remove(paths.begin(), paths.end(), remove->path), paths.end());
    } else if (const auto* replace = std::get_if<ReplaceSearchPath>(&edit)) {
      if (!contains(paths, replace->from) && !contains(paths, replace->to))
        result.warnings.push_back("there is no search path " + replace->from + " to replace");
      std::replace(paths.begin(), paths.end(), replace->from, replace->to);
      replacements.push_back({replace->from, replace->to});
      removeRepeats(paths);
    }
  }
  result.changes = differences(current, paths, replacements);
  return result;
}

} // namespace tcfix
