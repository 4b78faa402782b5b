// The plan: the edits that make every library of a package load, chosen by simulation.
//
// Has no side effects: it takes facts and returns edits. Files are only read, by the simulation.
#pragma once

#include "plan/rules.h"

namespace tcfix::plan {

/// The plan for a group, and its simulated result.
struct GroupPlan {
  Group group;
  std::vector<Draft> drafts; ///< one for each library
  /// The FFmpeg that the group will use: an index into the facts' installs; nothing if the group
  /// finds one in `ffmpegFolder` without an edit.
  std::optional<size_t> ffmpeg;
  std::string ffmpegFolder; ///< host path; empty if it finds none
  GroupLoads bare;
  GroupLoads preloaded;
  bool refusesEntries = false; ///< the requested search paths would stop it from loading
};

/// Why an FFmpeg was chosen or not, for the user.
struct FfmpegChoice {
  std::vector<std::string> chosenFor; ///< host paths of the libraries that will use it
  std::string reason;
};

struct PackagePlan {
  std::vector<GroupPlan> groups;
  std::vector<FfmpegChoice> ffmpegs; ///< one for each install of the facts
  std::vector<std::string> warnings; ///< such as: no dependency is found in a requested entry

  bool hasEdits() const;
  /// Moves out the simulated results of the groups.
  survey::PackageLoads takeLoads();
};

/// Whether everything loads, or only lacks what other software provides: NVIDIA's driver, which
/// belongs to the machine, and, for libraries loaded on demand, symbols of their loader.
bool lacksNothingHere(const GroupLoads& loads, bool isOnDemand);

PackagePlan planPackage(const PackageFacts& facts, const Request& request,
                        const Simulation& simulation);

} // namespace tcfix::plan
