// The file names of the FFmpeg inside a PyAV wheel, so that another wheel can depend on it.
#pragma once

#include "wheel/portable.h"

namespace tcfix::wheel {

struct PyavWheel {
  Platform platform = Platform::MacOs;
  std::string arch;
  plan::FfmpegBeside ffmpeg;
};

/// Unsupported for a wheel without an FFmpeg of its own.
llvm::Expected<PyavWheel> readPyav(const std::string& path);

} // namespace tcfix::wheel
