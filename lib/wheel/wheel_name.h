// What a wheel is called, and what it is called once tcfix has repaired it.
#pragma once

#include "base/version.h"

#include <llvm/Support/Error.h>

namespace tcfix::wheel {

/// A wheel's file name: NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl.
struct WheelName {
  std::string distribution;
  std::string version;
  std::string rest; ///< build and tags, from the dash after the version to the end

  /// Malformed for what is not called like a wheel.
  static llvm::Expected<WheelName> parse(llvm::StringRef fileName);
  std::string text() const { return distribution + "-" + version + rest; }
  /// The oldest macOS or glibc that its platform tags promise it works on; nothing where they name
  /// none.
  std::optional<Version> leastSystem() const;
};

/// The version with a local part that says which repair it is: "0.9.1" gives "0.9.1+tcfix1",
/// "0.9.1+cpu" gives "0.9.1+cpu.tcfix1", "0.9.1+tcfix1" gives "0.9.1+tcfix2". Installers take it
/// for the same release, and prefer it. File names may spell the "+" of a local part otherwise, so
/// that `hasLocal` must say whether there is one.
std::string repairedVersion(llvm::StringRef version, bool hasLocal);

} // namespace tcfix::wheel
