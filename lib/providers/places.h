// Directories where libraries that are neither torch's nor FFmpeg's may lie: those that wheel tools
// add, NVIDIA's wheels, conda, Homebrew and MacPorts.
#pragma once

#include "env/target.h"

namespace tcfix::providers {

/// Where Homebrew installs on macOS: on Apple silicon, and on Intel.
inline constexpr llvm::StringLiteral kHomebrewPrefix = "/opt/homebrew";
inline constexpr llvm::StringLiteral kIntelHomebrewPrefix = "/usr/local";
inline constexpr llvm::StringLiteral kMacPortsPrefix = "/opt/local";

/// Both of Homebrew's prefixes on macOS, the one for this architecture first.
std::vector<std::string> homebrewPrefixes(llvm::StringRef arch);

/// The host path of what the user named as a path of the target; nothing if it is not there.
std::optional<std::string> namedFolder(llvm::StringRef typed, const io::TargetDisk& disk);

/// A folder that a pattern stands for.
struct FolderMatch {
  std::string targetPath;
  std::string folder;             ///< host path
  std::vector<std::string> names; ///< what the stars stand for
};

/// The folders that match a target path with at most one "*" in each part.
std::vector<FolderMatch> foldersMatching(const std::string& pattern, const io::TargetDisk& disk);

/// Host paths of the directories that exist, best first.
std::vector<std::string> findOtherFolders(const env::Target& target, const env::Package& package);

/// The directories that a package adds to Windows' search when it is imported: those that wheels
/// made with delvewheel add, and those with DLLs where the package's own code adds any.
std::vector<std::string> findDllFolders(const env::Target& target, const env::Package& package,
                                        llvm::ArrayRef<std::string> otherFolders);

} // namespace tcfix::providers
