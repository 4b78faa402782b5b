// The file name of a wheel, and of its repaired copy.
#pragma once

#include "base/version.h"

#include <llvm/Support/Error.h>

namespace tcfix::wheel {

/// A wheel's file name: NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl.
struct WheelName {
  std::string distribution;
  std::string version;
  std::string rest; ///< build and tags, from the dash after the version to the end

  /// Malformed if it is not the name of a wheel.
  static llvm::Expected<WheelName> parse(llvm::StringRef fileName);
  std::string text() const { return distribution + "-" + version + rest; }
  /// The oldest macOS or glibc that its platform tags allow; nothing if they do not contain one.
  std::optional<Version> leastSystem() const;
};

/// The version with a local part that numbers the repair: "0.9.1" gives "0.9.1+tcfix1", "0.9.1+cpu"
/// gives "0.9.1+cpu.tcfix1", "0.9.1+tcfix1" gives "0.9.1+tcfix2". Installers treat it as the same
/// release, and prefer it. `hasLocal`: the version has a local part, whose "+" file names may spell
/// differently.
std::string repairedVersion(llvm::StringRef version, bool hasLocal);

} // namespace tcfix::wheel
