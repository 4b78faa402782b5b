// Bundles an FFmpeg into the wheel, so that it does not need one on the target machine.
//
// Copies from a directory the libraries that the wheel's own libraries depend on, for every FFmpeg
// major that is complete, and their dependencies in that directory, but no system libraries. As
// with auditwheel, their names in the wheel contain a hash, so that they are never confused with
// another copy in the same process.
#pragma once

#include "commit/outcome.h"
#include "formats/formats.h"
#include "wheel/contents.h"
#include "wheel/portable.h"

namespace tcfix::wheel {

struct BundledFile {
  ByteVector content;
  commit::FileOutcome outcome; ///< its path is the name in the wheel
};

struct Bundle {
  plan::FfmpegBeside ffmpeg; ///< for the edits of the wheel's own libraries
  std::vector<BundledFile> files;
  std::vector<Problem> warnings; ///< requirements of the new wheel that its name does not show
};

/// Empty if the wheel already contains an FFmpeg. `images` are the wheel's own libraries.
llvm::Expected<Bundle> bundleFfmpeg(const std::string& folder, const Contents& wheel,
                                    llvm::ArrayRef<const Image*> images,
                                    const formats::Signing& signing);

} // namespace tcfix::wheel
