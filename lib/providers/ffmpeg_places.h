// Where FFmpeg is usually installed on each platform: one table of target paths with wildcards. The
// contents of the directories are not read here.
#pragma once

#include "providers/ffmpeg.h"

namespace tcfix::providers {

/// A directory to search.
struct FfmpegPlace {
  FfmpegSource source = FfmpegSource::System;
  std::string folder;      ///< host path
  std::string description; ///< such as "Homebrew"
  std::string prefix;      ///< each major is used once per prefix: from the first place that has it
  std::string defect;      ///< why nothing there can be used; empty if it can
};

/// The places of the platform that exist, best first.
std::vector<FfmpegPlace> systemPlaces(const io::TargetDisk& disk, const FfmpegQuery& query);

/// The directory of the ffmpeg program on PATH; nothing if there is none.
std::optional<FfmpegPlace> programPlace(const io::TargetDisk& disk, const FfmpegQuery& query);

/// The same directory by a path that survives upgrades: for Homebrew's Cellar/NAME/VERSION,
/// opt/NAME.
std::string lastingPath(const std::string& hostFolder, const io::TargetDisk& disk);

} // namespace tcfix::providers
