// The FFmpeg installations that a library could use, in the order of preference, each
// with what makes it usable or not.
#pragma once

#include "env/environment.h"
#include "image/platform.h"
#include "providers/ffmpeg_name.h"

#include <map>

namespace tcfix::providers {

/// Where an installation comes from; the order is the order of preference.
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
  int major = 0; ///< by avcodec's own; 0 if there is no shared avcodec, or it cannot be seen
  FfmpegSource source = FfmpegSource::System;
  std::string folder; ///< host path of the folder with the libraries; empty if it cannot be seen
  /// The target path to write; empty inside the environment (PyAV's, conda's own), where it is
  /// written relative.
  std::string searchPath;
  std::string description; ///< such as "Homebrew keg ffmpeg@7" or "PyAV 15.1.0"
  /// Component ("avcodec") to the file's own name, hashed names included.
  std::map<std::string, std::string> files;
  std::string arch;   ///< of avcodec
  std::string defect; ///< why it cannot be used: static only, a component is missing; else empty
  bool isOnTrust = false; ///< --ffmpeg names a folder of a system that is out of reach
};

struct FfmpegQuery {
  Platform platform = Platform::MacOs;
  std::string arch = {};                  ///< of the libraries that shall use it; empty if unknown
  std::string option = {};                ///< --ffmpeg DIR; empty if not given
  std::vector<std::string> searched = {}; ///< host paths of --search
  /// TCFIX_FFMPEG, HOMEBREW_PREFIX, FFMPEG_SHARED_BIN, PATH, LOCALAPPDATA…; empty under a sysroot
  std::map<std::string, std::string> variables = {};
};

/// The variables of this process that say where FFmpeg may be.
std::map<std::string, std::string> ffmpegVariables();

/// Those of the environment's own sites, of the system and of `query`, best first. An explicit
/// folder that holds no FFmpeg comes back with its defect, too.
std::vector<FfmpegInstall> findFfmpegs(const env::Environment& environment,
                                       const io::TargetDisk& disk, const FfmpegQuery& query);

} // namespace tcfix::providers
