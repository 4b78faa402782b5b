// Versions, as far as questions about packages need them.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace tcfix {

/// The first two numbers of a package's version.
struct Version {
  int major = -1, minor = -1;
  bool isKnown() const { return major >= 0; }
  bool operator==(const Version&) const = default;
  bool operator<(const Version& other) const {
    return major != other.major ? major < other.major : minor < other.minor;
  }
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

/// Nothing where the text does not begin with two numbers.
std::optional<Version> parseVersion(llvm::StringRef text);

} // namespace tcfix
