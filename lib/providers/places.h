// Directories with libraries other than torch's and FFmpeg's: those that wheel tools add, NVIDIA's
// wheels, conda, Homebrew and MacPorts.
#pragma once

#include "env/target.h"

namespace tcfix::providers {

/// Where Homebrew installs: on Apple silicon, on Intel, and on Linux.
inline constexpr llvm::StringLiteral kHomebrewPrefix = "/opt/homebrew";
inline constexpr llvm::StringLiteral kIntelHomebrewPrefix = "/usr/local";
inline constexpr llvm::StringLiteral kLinuxHomebrewPrefix = "/home/linuxbrew/.linuxbrew";
inline constexpr llvm::StringLiteral kMacPortsPrefix = "/opt/local";

/// Both Homebrew prefixes on macOS, the one for this architecture first.
std::vector<std::string> homebrewPrefixes(llvm::StringRef arch);

/// The host path for a target path that the user named; nothing if it does not exist.
std::optional<std::string> namedFolder(llvm::StringRef typed, const io::TargetDisk& disk);

/// A directory that matches a pattern.
struct FolderMatch {
  std::string targetPath;
  std::string folder;             ///< host path
  std::vector<std::string> names; ///< what each "*" matches
};

/// The directories that match a target path with at most one "*" in each component.
std::vector<FolderMatch> foldersMatching(const std::string& pattern, const io::TargetDisk& disk);

/// Host paths of the directories that exist, best first.
std::vector<std::string> findOtherFolders(const env::Target& target, const env::Package& package);

/// The directories that a package adds to the DLL search path when it is imported: those that
/// wheels made with delvewheel add, and those with DLLs if the package's own code adds any.
std::vector<std::string> findDllFolders(const env::Target& target, const env::Package& package,
                                        llvm::ArrayRef<std::string> otherFolders);

} // namespace tcfix::providers
