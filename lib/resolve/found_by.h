// How a dependency was found, as a value: what decides anything compares kinds and entries, and
// only reports turn it into text.
#pragma once

#include <string>

namespace tcfix::resolve {

struct FoundBy {
  enum class Kind {
    Nothing,          ///< not found, or nothing is known
    AlreadyLoaded,    ///< `entry`: the other path that leads to the same file; else empty
    OwnPath,          ///< the dependency is a path; `entry` if it begins with an @ word
    SearchPath,       ///< `entry` of the LC_RPATH, or of the list embedded in a DLL, of `holder`
    Rpath,            ///< `entry` of the DT_RPATH of `holder`
    Runpath,          ///< `entry` of the DT_RUNPATH of `holder`
    Variable,         ///< `entry` of the environment variable `holder`; PATH has no entry
    Cache,            ///< ld.so.cache
    DefaultDirectory, ///< `entry`, which ld.so searches by itself
    Fallback,         ///< `entry`, which dyld searches last
    PlatformRule,     ///< `entry` names it, such as "System32"
  };
  Kind kind = Kind::Nothing;
  std::string entry = {};
  std::string holder = {};

  /// True if this entry of a library's own search paths led to it.
  bool isThrough(const std::string& searchPath) const {
    return (kind == Kind::SearchPath || kind == Kind::Rpath || kind == Kind::Runpath) &&
           entry == searchPath;
  }
  /// Such as "already loaded" or "@loader_path/../torch/lib of core7.dylib".
  std::string text() const;
};

} // namespace tcfix::resolve
