// The answers of the system that a TargetDisk caches; only target_disk.cc includes it.
#pragma once

#include "io/target_disk.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
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
  /// Complete listings of small directories: those that were listed anyway, and those in which many
  /// names were looked up, because one listing replaces a system call for each name, present or
  /// not.
  llvm::StringMap<Listing> small;
  llvm::StringMap<unsigned> lookups;
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
  /// different case, except in a small directory, where that is checked.
  std::optional<EntryKind> listed(llvm::StringRef hostPath) {
    const llvm::StringRef folder = llvm::sys::path::parent_path(hostPath);
    const llvm::StringRef name = llvm::sys::path::filename(hostPath);
    std::shared_lock guard(mutex);
    if (auto known = small.find(folder); known != small.end()) {
      if (std::optional<EntryKind> kind = kindIn(known->second, name))
        return kind;
      return isAbsentFrom(known->second, name) ? std::optional(EntryKind::None) : std::nullopt;
    }
    auto listing = listings.find(folder);
    return listing == listings.end() ? std::nullopt : kindIn(*listing->second, name);
  }

  /// True once for each directory: when so many names were looked up that listing it is cheaper.
  bool isWorthListing(llvm::StringRef folder) {
    constexpr unsigned kLookups = 4;
    std::lock_guard guard(mutex);
    return ++lookups[folder] == kLookups && !small.contains(folder);
  }

private:
  static std::optional<EntryKind> kindIn(const Listing& listing, llvm::StringRef name) {
    auto entry =
        llvm::lower_bound(listing, name, [](const DirectoryEntry& each, llvm::StringRef wanted) {
          return each.name < wanted;
        });
    return entry != listing.end() && entry->name == name ? std::optional(entry->kind)
                                                         : std::nullopt;
  }

  /// Some disks find a name in another case, in another Unicode form, or by its short form with
  /// "~"; and directories of a file system that mounts on access contain no files.
  static bool isAbsentFrom(const Listing& listing, llvm::StringRef name) {
    return llvm::all_of(name, [](char letter) { return llvm::isASCII(letter) && letter != '~'; }) &&
           llvm::any_of(listing, [](auto& each) { return each.kind == EntryKind::File; }) &&
           llvm::none_of(listing, [&](auto& each) { return name.equals_insensitive(each.name); });
  }
};

} // namespace tcfix::io
