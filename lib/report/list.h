// What `tcfix list` shows: an environment, and everything in and around it that counts.
#pragma once

#include "env/target.h"
#include "providers/ffmpeg.h"
#include "providers/torch.h"
#include "report/json.h"

namespace tcfix::report {

/// An FFmpeg, and what the plan makes of it.
struct ListedFfmpeg {
  providers::FfmpegInstall install;
  std::vector<std::string> chosenFor; ///< host paths of the libraries that will use it
  std::string reason;                 ///< why it is chosen or not, one sentence
};

struct Listing {
  env::Target target;
  std::vector<env::Package> installed; ///< all packages, name and version only
  std::optional<providers::TorchInstall> torch;
  std::vector<ListedFfmpeg> ffmpegs;
};

std::string renderListing(const Listing& listing, const Paint& paint);
std::string jsonForList(const Preamble& preamble, const Listing& listing);

} // namespace tcfix::report
