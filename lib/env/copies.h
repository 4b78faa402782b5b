// What lies below a folder that is neither an environment nor a site: environments, and copies of a
// package that no installer has listed, such as the one that a build has made.
//
// The search follows no links, does not enter what it finds, and ends after so many folders.
#pragma once

#include "env/package.h"

namespace tcfix::env {

struct FoundBelow {
  /// Host paths, the nearest first: virtual environments, conda's, and sites outside of them (the
  /// prefix, if the layout tells, which may lie above the folder).
  std::vector<std::string> environments;
  std::vector<std::string> copies; ///< host paths of folders
  bool isComplete = true;          ///< false: there are more folders than were searched

  size_t count() const { return environments.size() + copies.size(); }
};

/// Whether a folder with these entries is a copy.
using IsCopy =
    llvm::function_ref<bool(const std::string& folder, llvm::ArrayRef<io::DirectoryEntry> entries)>;

/// Searches a folder and what lies below it.
FoundBelow searchBelow(const std::string& folder, const io::TargetDisk& disk, IsCopy isCopy);

/// The package that this folder is, or whose libraries lie directly in it; nothing if it is none.
/// Without a prefix of its libraries a package is known by the name of its folder or module only.
std::optional<Package> findCopy(const std::string& folder,
                                llvm::ArrayRef<io::DirectoryEntry> entries,
                                const io::TargetDisk& disk, const recipe::Recipe& recipe);

} // namespace tcfix::env
