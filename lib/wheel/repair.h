// tcfix wheel: writes a repaired copy of a wheel, for any platform, on any platform.
//
// Every library of the package gets search paths that work wherever the wheel is installed
// (portable.h). RECORD, METADATA, the .dist-info's name and the file name mark it as another build
// of the same release; all other members are copied unchanged, in their order. The same input gives
// the same bytes. Wheels are independent of one another.
#pragma once

#include "commit/outcome.h"
#include "io/system.h"
#include "wheel/pyav.h"

namespace tcfix::wheel {

struct RepairOptions {
  std::string outputFolder;             ///< created if it does not exist
  std::vector<std::string> searchPaths; ///< literal entries, instead of the default ones
  std::vector<PyavWheel> pyavs;         ///< for each platform, the one whose FFmpeg to use
  std::string bundleFrom;               ///< directory of the FFmpeg to bundle; empty: none
  formats::Signing signing;
  unsigned jobs = 1; ///< wheels processed in parallel
};

struct WheelOutcome {
  std::string input;
  std::string output;                     ///< the repaired wheel; empty: there is none
  bool isWritten = false;                 ///< false: the identical file already existed
  std::vector<commit::FileOutcome> files; ///< by the name in the wheel
  std::vector<Problem> warnings;          ///< about the wheel as a whole
  std::optional<Problem> problem;         ///< why the wheel as a whole failed

  commit::FileStatus status() const;
};

std::vector<WheelOutcome> repairWheels(llvm::ArrayRef<std::string> paths,
                                       const RepairOptions& options, io::Notify notify);

} // namespace tcfix::wheel
