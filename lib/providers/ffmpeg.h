// The FFmpeg installations that a library could use, in order of preference, and why each can or
// cannot be used.
#pragma once

#include "env/environment.h"
#include "image/platform.h"
#include "providers/ffmpeg_name.h"

#include <map>

namespace tcfix::providers {

/// Where an installation comes from, in order of preference.
enum class FfmpegSource {
  Option,
  Variable,
  Search,
  Conda,
  System,
  Homebrew,
  MacPorts,
  Folder,
  Pyav
};

/// The source's name in JSON, such as "homebrew" or "pyav".
llvm::StringRef nameOf(FfmpegSource source);

struct FfmpegInstall {
  int major =
      0; ///< from avcodec's; 0 if there is no shared avcodec, or if it is not on this machine
  FfmpegSource source = FfmpegSource::System;
  std::string folder; ///< host path of the libraries' directory; empty if not on this machine
  /// The search path to write, as a target path; empty inside the environment (PyAV, conda), where
  /// a relative path is written.
  std::string searchPath;
  std::string description; ///< such as "Homebrew keg ffmpeg@7" or "PyAV 15.1.0"
  /// From component ("avcodec") to file name; hashed names are kept.
  std::map<std::string, std::string> files;
  std::string arch;   ///< of avcodec
  std::string defect; ///< why it cannot be used (such as static only); empty if it can
  bool isOnTrust =
      false; ///< --ffmpeg names a directory that is not on this machine, so not checked
};

struct FfmpegQuery {
  Platform platform = Platform::MacOs;
  std::string arch = {};                  ///< of the libraries that will use it; empty if unknown
  std::string option = {};                ///< --ffmpeg DIR; empty if not given
  std::vector<std::string> searched = {}; ///< host paths of --search
  /// TCFIX_FFMPEG, HOMEBREW_PREFIX, FFMPEG_SHARED_BIN, PATH, LOCALAPPDATA…; empty under a sysroot
  std::map<std::string, std::string> variables = {};
};

/// The environment variables of this process that give locations of FFmpeg.
std::map<std::string, std::string> ffmpegVariables();

/// Those in the environment's own sites, in the system and in `query`, best first. Also returns an
/// explicitly named directory without FFmpeg, with its defect.
std::vector<FfmpegInstall> findFfmpegs(const env::Environment& environment,
                                       const io::TargetDisk& disk, const FfmpegQuery& query);

} // namespace tcfix::providers
