// The answers of the system that a TargetDisk caches; only target_disk.cc includes it.
#pragma once

#include "io/target_disk.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Support/Path.h>

#include <map>
#include <mutex>
#include <shared_mutex>

namespace tcfix::io {

using Listing = std::vector<DirectoryEntry>; ///< sorted by name

struct TargetDisk::Memory {
  std::shared_mutex mutex;
  llvm::StringMap<std::optional<std::string>> real, found;
  llvm::StringMap<EntryKind> kinds;
  llvm::StringMap<std::shared_ptr<const Listing>> listings;
  std::vector<std::string> forbidden;
  /// The names in a directory by their lower-case form, for disks that ignore case.
  std::map<std::string, llvm::StringMap<std::string>> spellings;

  /// The cached answer for this key; otherwise calls `ask` and caches its answer.
  template <typename Answer, typename Ask>
  Answer recall(llvm::StringMap<Answer>& answers, llvm::StringRef key, Ask ask) {
    {
      std::shared_lock guard(mutex);
      if (auto known = answers.find(key); known != answers.end())
        return known->second;
    }
    Answer answer = ask();
    std::lock_guard guard(mutex);
    return answers.try_emplace(key, std::move(answer)).first->second;
  }

  /// The kind according to a listing of its directory. A name that is not listed may exist in
  /// different case.
  std::optional<EntryKind> listed(llvm::StringRef hostPath) {
    std::shared_lock guard(mutex);
    auto listing = listings.find(llvm::sys::path::parent_path(hostPath));
    if (listing == listings.end())
      return std::nullopt;
    const llvm::StringRef name = llvm::sys::path::filename(hostPath);
    auto entry = llvm::lower_bound(
        *listing->second, name,
        [](const DirectoryEntry& each, llvm::StringRef wanted) { return each.name < wanted; });
    return entry != listing->second->end() && entry->name == name ? std::optional(entry->kind)
                                                                  : std::nullopt;
  }
};

} // namespace tcfix::io
