// Versions of packages and systems. Longer versions, such as those of macOS and its SDKs, are
// LLVM's VersionTuple.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <compare>
#include <optional>
#include <string>

namespace tcfix {

/// The first two numbers of a version.
struct Version {
  int major = -1, minor = -1;
  bool isKnown() const { return major >= 0; }
  auto operator<=>(const Version&) const = default;
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

/// Nothing if the text does not start with two numbers.
std::optional<Version> parseVersion(llvm::StringRef text, char separator = '.');

/// Whether one version of a package is older than another, judging by their numbers.
bool isOlder(llvm::StringRef version, llvm::StringRef other);

/// Whether two spellings can mean the same version: "0.9.1_cpu" in a file name is "0.9.1+cpu", and
/// 0.9 is 0.9.0, but 0.91 is not 0.9.1.
bool isSameVersion(llvm::StringRef one, llvm::StringRef other);

} // namespace tcfix
