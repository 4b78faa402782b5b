// Searches a directory that is neither an environment nor a site for environments, and for copies
// of a package without a .dist-info, such as the output of a build.
//
// The search does not follow links or enter what it finds, and stops after a number of directories.
#pragma once

#include "env/package.h"

namespace tcfix::env {

struct FoundBelow {
  /// Host paths, the nearest first: virtual environments, conda environments, and sites outside of
  /// them (the prefix, if the layout shows it, which may be above the directory).
  std::vector<std::string> environments;
  std::vector<std::string> copies; ///< host paths of directories
  bool isComplete = true;          ///< false: there are more directories than were searched

  size_t count() const { return environments.size() + copies.size(); }
};

/// Whether a directory with these entries is a copy.
using IsCopy =
    llvm::function_ref<bool(const std::string& folder, llvm::ArrayRef<io::DirectoryEntry> entries)>;

/// Searches a directory and everything below it.
FoundBelow searchBelow(const std::string& folder, const io::TargetDisk& disk, IsCopy isCopy);

/// The package whose directory this is, or whose libraries are directly in it; nothing if there is
/// none. A package without a library prefix is recognized only by the name of its directory or
/// module.
std::optional<Package> findCopy(const std::string& folder,
                                llvm::ArrayRef<io::DirectoryEntry> entries,
                                const io::TargetDisk& disk, const recipe::Recipe& recipe);

} // namespace tcfix::env
