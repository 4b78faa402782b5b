// Rules for a library on an unknown disk, such as in a wheel: search paths that are valid on every
// machine of its platform. Nothing is simulated.
#pragma once

#include "plan/rules.h"

namespace tcfix::plan {

/// An FFmpeg that will be installed beside the library, inside a package.
struct FfmpegBeside {
  std::string folder;      ///< from site-packages, with slashes, such as "av.libs"
  std::string description; ///< such as "PyAV 15.1.0"
  providers::FfmpegFiles files;
};

struct UnknownDiskRequest {
  /// Literal entries, which replace the default ones.
  std::vector<std::string> searchPaths;
  /// Used by the libraries that find all of their FFmpeg dependencies there; may be null.
  const FfmpegBeside* ffmpeg = nullptr;
};

/// The library's path in the draft is relative to site-packages, with slashes.
void planForUnknownDisk(Draft& draft, const PackageFacts& facts, const UnknownDiskRequest& request);

} // namespace tcfix::plan
