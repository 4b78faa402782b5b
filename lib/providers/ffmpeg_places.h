// Where FFmpeg is usually installed, on each platform. One table, as target paths with wildcards;
// nothing here looks into the folders.
#pragma once

#include "providers/ffmpeg.h"

namespace tcfix::providers {

/// A folder to look into.
struct FfmpegPlace {
  FfmpegSource source = FfmpegSource::System;
  std::string folder;      ///< host path
  std::string description; ///< such as "Homebrew"
  std::string prefix; ///< offers each major once: the first place of the same prefix that has it
  std::string defect; ///< why nothing there can be used, whatever it holds
};

/// The places of the platform that exist, best first.
std::vector<FfmpegPlace> systemPlaces(const io::TargetDisk& disk, const FfmpegQuery& query);

/// The folder of the ffmpeg program that the user would start; nothing if there is none.
std::optional<FfmpegPlace> programPlace(const io::TargetDisk& disk, const FfmpegQuery& query);

/// The same folder by a name that outlives an upgrade: Homebrew's Cellar/NAME/VERSION is opt/NAME.
std::string lastingPath(const std::string& hostFolder, const io::TargetDisk& disk);

} // namespace tcfix::providers
