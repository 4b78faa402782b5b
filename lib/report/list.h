// The output of `tcfix list`: an environment, its packages, and each FFmpeg that they could use.
#pragma once

#include "env/target.h"
#include "providers/ffmpeg.h"
#include "providers/torch.h"
#include "report/json.h"

namespace tcfix::report {

/// An FFmpeg, and which libraries will use it.
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

/// With `isVerbose`, includes the names of the libraries.
std::string renderListing(const Listing& listing, bool isVerbose, const Paint& paint);
std::string jsonForList(const Preamble& preamble, const Listing& listing);

} // namespace tcfix::report
