// The plan: for every library of a package the edits that make it load, chosen by simulation.
//
// Pure: facts go in, edits come out; files are only read, through the simulation.
#pragma once

#include "plan/rules.h"

namespace tcfix::plan {

/// What was chosen for a group, and what it comes to.
struct GroupPlan {
  Group group;
  std::vector<Draft> drafts; ///< one for each library
  /// The FFmpeg that the group will use, as an index into the facts' installs, or one that it finds
  /// by itself in `ffmpegFolder`.
  std::optional<size_t> ffmpeg;
  std::string ffmpegFolder; ///< host path; empty if it finds none
  GroupLoads bare;
  GroupLoads preloaded;
  bool refusesEntries = false; ///< what was asked for would stop it from loading
};

/// Why an FFmpeg was taken or left, for the user.
struct FfmpegChoice {
  std::vector<std::string> chosenFor; ///< host paths of the libraries that will use it
  std::string reason;
};

struct PackagePlan {
  std::vector<GroupPlan> groups;
  std::vector<FfmpegChoice> ffmpegs; ///< one for each install of the facts
  std::vector<std::string> warnings; ///< such as: an entry that was asked for leads nowhere

  /// Hands over how the groups will load.
  survey::PackageLoads takeLoads();
};

/// Whether all of it loads, or lacks only what the surroundings bring: NVIDIA's driver, which is
/// the machine's, and, where it is loaded on demand, symbols of whoever loads it.
bool lacksNothingHere(const GroupLoads& loads, bool isOnDemand);

PackagePlan planPackage(const PackageFacts& facts, const Request& request,
                        const Simulation& simulation);

} // namespace tcfix::plan
