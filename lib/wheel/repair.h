// tcfix wheel: a repaired copy of a wheel, for any platform, on any.
//
// Every library of the package in it gets search paths that hold wherever it will be installed
// (portable.h). RECORD, METADATA, the .dist-info's name and the file name say that it is another
// build of the same release; all other members are copied as they are, in their order. The same
// input makes the same bytes. Wheels do not depend on one another.
#pragma once

#include "commit/outcome.h"
#include "io/system.h"
#include "wheel/pyav.h"

namespace tcfix::wheel {

struct RepairOptions {
  std::string outputFolder;             ///< made if it is not there
  std::vector<std::string> searchPaths; ///< literal entries, in place of the default ones
  std::vector<PyavWheel> pyavs;         ///< for each platform the one whose FFmpeg to use
  std::string bundleFrom;               ///< a folder with the FFmpeg to put inside; empty: none
  formats::Signing signing;
  unsigned jobs = 1; ///< wheels at once
};

struct WheelOutcome {
  std::string input;
  std::string output;                     ///< the repaired wheel; empty: there is none
  bool isWritten = false;                 ///< false: an earlier run had written the same one
  std::vector<commit::FileOutcome> files; ///< by the name in the wheel
  std::vector<Problem> warnings;          ///< about the wheel as a whole
  std::optional<Problem> problem;         ///< why the wheel as a whole failed

  commit::FileStatus status() const;
};

std::vector<WheelOutcome> repairWheels(llvm::ArrayRef<std::string> paths,
                                       const RepairOptions& options, io::Notify notify);

} // namespace tcfix::wheel
