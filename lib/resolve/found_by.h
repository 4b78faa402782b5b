// How a dependency was found, as a value: code compares kinds and entries, only reports use the
// text.
#pragma once

#include <string>

namespace tcfix::resolve {

struct FoundBy {
  enum class Kind {
    Nothing,       ///< not found, or unknown
    AlreadyLoaded, ///< `entry`: another path of the same file, if it was loaded by that; else empty
    OwnPath,       ///< the dependency is a path; `entry` if it starts with an @ prefix
    SearchPath,    ///< `entry` of the LC_RPATH, or of the list embedded in a DLL, of `holder`
    Rpath,         ///< `entry` of the DT_RPATH of `holder`
    Runpath,       ///< `entry` of the DT_RUNPATH of `holder`
    Variable,      ///< `entry` of the environment variable `holder`; PATH has no entry
    Cache,         ///< ld.so.cache
    DefaultDirectory, ///< `entry`, which ld.so searches by default
    Fallback,         ///< `entry`, which dyld searches last
    PlatformRule,     ///< `entry` names it, such as "System32"
  };
  Kind kind = Kind::Nothing;
  std::string entry = {};
  std::string holder = {};

  /// True if it was found through this search path entry of a library.
  bool isThrough(const std::string& searchPath) const {
    return (kind == Kind::SearchPath || kind == Kind::Rpath || kind == Kind::Runpath) &&
           entry == searchPath;
  }
  /// Such as "already loaded" or "@loader_path/../torch/lib of core7.dylib".
  std::string text() const;
};

} // namespace tcfix::resolve
