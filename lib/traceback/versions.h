// The versions and the system in a text: stated in lists, install logs and messages, or recognized
// by the fingerprints of a traceback.
#pragma once

#include "image/platform.h"
#include "recipe/fingerprints.h"

#include <optional>

namespace tcfix::traceback {

struct Versions {
  // As stated; empty if the text does not contain them.
  std::string torch = {}, release = {}, python = {};
  /// The releases of the package that the text can be about.
  recipe::VersionSpan releases = {};
  /// The torch that its own frames show; a stated version takes precedence.
  recipe::VersionSpan torches = {};
  std::optional<Platform> platform = {};
  std::string arch = {}; ///< "x86_64" or "aarch64" ("arm64" on macOS); empty if unknown
  bool isConda = false;
  bool isTorchOfConda = false;  ///< installed by conda, not by pip in its environment
  int ffmpegProgram = 0;        ///< the major of an FFmpeg in the text
  bool isProgramStatic = false; ///< and that it has no shared libraries

  /// Stated, or else by fingerprint, such as "2.8"; empty if unknown.
  std::string torchText() const;
  /// The release, if there is only one candidate; else empty.
  std::string releaseText() const;
};

/// Expects plain text.
Versions readVersions(llvm::StringRef text);

/// A version such as "2.9.1+cu130" at the beginning of the text; empty if there is none.
llvm::StringRef versionAt(llvm::StringRef text);

} // namespace tcfix::traceback
