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

/// A directory, or a part of it if it could not be read to its end.
struct TargetDisk::Listing {
  std::vector<DirectoryEntry> entries; ///< sorted by name
  bool isSmall = false;                ///< complete and short: shows also which names are absent
};

struct TargetDisk::Memory {
  std::shared_mutex mutex;
  llvm::StringMap<std::optional<std::string>> real, found;
  llvm::StringMap<EntryKind> kinds;
  /// Of directories that were listed anyway, and of small ones in which many names were looked up,
  /// because one listing replaces a system call for each name, present or not.
  llvm::StringMap<std::shared_ptr<const Listing>> listings;
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
    auto known = listings.find(folder);
    if (known == listings.end())
      return std::nullopt;
    const Listing& listing = *known->second;
    if (std::optional<EntryKind> kind = kindIn(listing.entries, name))
      return kind;
    return listing.isSmall && isAbsentFrom(listing.entries, name) ? std::optional(EntryKind::None)
                                                                  : std::nullopt;
  }

  /// True once for each directory: when so many names were looked up that listing it is cheaper.
  bool isWorthListing(llvm::StringRef folder) {
    constexpr unsigned kLookups = 4;
    std::lock_guard guard(mutex);
    return ++lookups[folder] == kLookups && !listings.contains(folder);
  }

private:
  static std::optional<EntryKind> kindIn(llvm::ArrayRef<DirectoryEntry> entries,
                                         llvm::StringRef name) {
    auto entry =
        llvm::lower_bound(entries, name, [](const DirectoryEntry& each, llvm::StringRef wanted) {
          return each.name < wanted;
        });
    return entry != entries.end() && entry->name == name ? std::optional(entry->kind)
                                                         : std::nullopt;
  }

  /// Some disks find a name in another case, in another Unicode form, or by its short form with
  /// "~"; and directories of a file system that mounts on access contain no files.
  static bool isAbsentFrom(llvm::ArrayRef<DirectoryEntry> entries, llvm::StringRef name) {
    return llvm::all_of(name, [](char letter) { return llvm::isASCII(letter) && letter != '~'; }) &&
           llvm::any_of(entries, [](auto& each) { return each.kind == EntryKind::File; }) &&
           llvm::none_of(entries, [&](auto& each) { return name.equals_insensitive(each.name); });
  }
};

} // namespace tcfix::io
