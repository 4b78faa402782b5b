// The versions and the system that a text shows: named in lists, install logs and messages, or
// known by the fingerprints of a traceback.
#pragma once

#include "image/platform.h"
#include "recipe/fingerprints.h"

#include <optional>

namespace tcfix::traceback {

struct Versions {
  // As they are named; empty where the text does not name them.
  std::string torch = {}, release = {}, python = {};
  /// The releases of the package that the text can be about.
  recipe::VersionSpan releases = {};
  /// The torch that its own frames show; the named one, if there is one, counts more.
  recipe::VersionSpan torches = {};
  std::optional<Platform> platform = {};
  std::string arch = {}; ///< "x86_64" or "aarch64" ("arm64" on macOS); empty if unknown
  bool isConda = false;
  int ffmpegProgram = 0;        ///< the major of an FFmpeg that the text names
  bool isProgramStatic = false; ///< and that it has no shared libraries

  /// Named, or else by fingerprint, such as "2.8"; empty if unknown.
  std::string torchText() const;
  /// The one release that it is, or empty.
  std::string releaseText() const;
};

/// Takes plain text.
Versions readVersions(llvm::StringRef text);

/// A version such as "2.9.1+cu130" at the beginning of the text; empty if there is none.
llvm::StringRef versionAt(llvm::StringRef text);

} // namespace tcfix::traceback
