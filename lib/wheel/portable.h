// What is wanted of a library that may be installed anywhere: search paths that hold on every
// machine of its platform. Nothing is simulated, since nobody knows what will be there.
#pragma once

#include "plan/draft.h"
#include "providers/ffmpeg_name.h"

#include <map>

namespace tcfix::wheel {

/// An FFmpeg that will be installed beside the library, inside a package.
struct FfmpegBeside {
  std::string folder;      ///< from site-packages, with slashes, such as "av.libs"
  std::string description; ///< such as "PyAV 15.1.0"
  /// The files' names, by component and library major: {"avcodec", 61}.
  std::map<std::pair<std::string, int>, std::string> files;

  /// The file that a dependency stands for; nothing if it is none of these.
  const std::string* find(llvm::StringRef dependency) const;
};

struct PortableRequest {
  /// Literal entries, which take the place of the default ones.
  std::vector<std::string> searchPaths;
  /// Taken by the libraries that find all of their FFmpeg there; may be null.
  const FfmpegBeside* ffmpeg = nullptr;
};

/// The edits for a library; `member` is its path from site-packages, with slashes.
std::vector<plan::Wish> portableWishes(const Image& image, llvm::StringRef member,
                                       const PortableRequest& request);

} // namespace tcfix::wheel
