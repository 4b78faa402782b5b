// The FFmpeg installations that a torchcodec library could use, in the order of preference, each
// with what makes it usable or not.
#pragma once

#include "env/environment.h"

#include <map>

namespace tcfix::env {

/// Where an installation comes from; the order is the order of preference.
enum class FfmpegSource { Option, Variable, Conda, System, Homebrew, MacPorts, Folder, Pyav };

/// The source's name in JSON, such as "homebrew" or "pyav".
llvm::StringRef nameOf(FfmpegSource source);

struct FfmpegInstall {
  int major = 0; ///< by avcodec's own; 0 if there is no shared avcodec
  FfmpegSource source = FfmpegSource::System;
  std::string folder;     ///< host path of the folder with the libraries
  std::string searchPath; ///< the target path to write; empty for PyAV's, which is written relative
  std::string description; ///< such as "Homebrew keg ffmpeg@7" or "PyAV 15.1.0"
  /// Component ("avcodec") to the file's own name, hashed names included.
  std::map<std::string, std::string> files;
  std::string arch;   ///< of avcodec
  std::string defect; ///< why it cannot be used: static only, a component is missing; else empty
};

struct FfmpegQuery {
  Format platform = Format::MachO;
  std::string arch;
  std::string option; ///< --ffmpeg DIR; empty if not given
  /// TCFIX_FFMPEG, HOMEBREW_PREFIX, FFMPEG_SHARED_BIN, PATH, LOCALAPPDATA…; empty under a sysroot
  std::map<std::string, std::string> variables;
  std::vector<std::string> alwaysFrom; ///< sites whose PyAV counts
};

/// An explicit folder that holds no FFmpeg comes back with its defect, too.
std::vector<FfmpegInstall> findFfmpegs(const Environment& environment, const io::TargetDisk& disk,
                                       const FfmpegQuery& query);

/// The FFmpeg component and library major that a dependency's name stands for, on any platform:
/// "@rpath/libavcodec.61.dylib", "libavcodec.so.61", "avcodec-61.dll" give {"avcodec", 61}.
struct FfmpegName {
  std::string component;
  int libraryMajor = 0;
};
std::optional<FfmpegName> parseFfmpegName(llvm::StringRef dependency);

/// The FFmpeg major whose component has this library major; swresample 4 is 5's and 6's, so that
/// nothing is returned for it.
std::optional<int> ffmpegMajorOf(const FfmpegName& name);

} // namespace tcfix::env
