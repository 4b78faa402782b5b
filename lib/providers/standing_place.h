// The default location of FFmpeg on each platform: a search path to it can be added before FFmpeg
// is installed.
#pragma once

#include "providers/ffmpeg.h"

namespace tcfix::providers {

struct StandingPlace {
  std::string
      searchPath; ///< a target path; empty if the platform's loader searches there by default
  std::string directory; ///< host path, instead of a search path, if it is inside the environment

  bool exists() const { return !searchPath.empty() || !directory.empty(); }
};

/// For any machine of the platform; the architecture may be empty.
StandingPlace standingPlace(Platform platform, llvm::StringRef arch);

/// For this environment on the query's machine, whose HOMEBREW_PREFIX is used.
StandingPlace standingPlace(const env::Environment& environment, const FfmpegQuery& query);

} // namespace tcfix::providers
