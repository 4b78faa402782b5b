// The place where each platform's users install FFmpeg as a rule: a search path to it can be
// written before there is one.
#pragma once

#include "providers/ffmpeg.h"

namespace tcfix::providers {

struct StandingPlace {
  std::string searchPath; ///< the target's; empty on platforms whose loader looks there by itself
  std::string
      directory; ///< host path, instead of a search path, where it moves with the environment

  bool exists() const { return !searchPath.empty() || !directory.empty(); }
};

/// On any machine of the platform; the architecture may be empty.
StandingPlace standingPlace(Platform platform, llvm::StringRef arch);

/// For this environment on the query's machine, whose variables may move Homebrew.
StandingPlace standingPlace(const env::Environment& environment, const FfmpegQuery& query);

} // namespace tcfix::providers
