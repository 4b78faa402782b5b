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

/// Host paths of the directories that exist, best first.
std::vector<std::string> findOtherFolders(const env::Target& target, const env::Package& package);

/// The directories among them, and beside the package, that a wheel made with delvewheel adds to
/// Windows' search when it is imported.
std::vector<std::string> findDllFolders(const env::Target& target, const env::Package& package,
                                        llvm::ArrayRef<std::string> otherFolders);

} // namespace tcfix::providers
