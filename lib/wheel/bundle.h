// An FFmpeg that goes inside the wheel, so that it needs none on the machine where it is installed.
//
// Taken from a folder are the libraries that the wheel's own ask for, of every FFmpeg major that is
// there completely, and what those need and the folder has; never what every system has. In the
// wheel each has the hash of the original in its name, as auditwheel does it: another copy that is
// loaded in the same process is then never taken for it.
#pragma once

#include "commit/outcome.h"
#include "formats/formats.h"
#include "wheel/contents.h"
#include "wheel/portable.h"

namespace tcfix::wheel {

/// Why a file that was not in the wheel before is in it now.
inline constexpr llvm::StringLiteral kBundled = "bundled";

struct BundledFile {
  ByteVector content;
  commit::FileOutcome outcome; ///< its path is the name in the wheel
};

struct Bundle {
  plan::FfmpegBeside ffmpeg; ///< as the wheel's libraries shall see it
  std::vector<BundledFile> files;
  std::vector<Problem> warnings; ///< what the new wheel needs and its name does not tell
};

/// Empty when the wheel has an FFmpeg inside already. `images` are the wheel's own libraries.
llvm::Expected<Bundle> bundleFfmpeg(const std::string& folder, const Contents& wheel,
                                    llvm::ArrayRef<const Image*> images,
                                    const formats::Signing& signing);

} // namespace tcfix::wheel
