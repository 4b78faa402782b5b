// What a wheel is called, and what it is called once tcfix has repaired it.
#pragma once

#include <llvm/Support/Error.h>

#include <compare>
#include <optional>
#include <string>

namespace tcfix::wheel {

/// The version of a system: macOS's own, or of Linux's C library.
struct SystemVersion {
  unsigned major = 0, minor = 0;

  /// Of a text such as "2.28" or "manylinux_2_28_x86_64" without its first word; nothing if it does
  /// not begin so.
  static std::optional<SystemVersion> parse(llvm::StringRef text, char separator);
  auto operator<=>(const SystemVersion&) const = default;
};

/// A wheel's file name: NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl.
struct WheelName {
  std::string distribution;
  std::string version;
  std::string rest; ///< build and tags, from the dash after the version to the end

  /// Malformed for what is not called like a wheel.
  static llvm::Expected<WheelName> parse(llvm::StringRef fileName);
  std::string text() const { return distribution + "-" + version + rest; }
  /// The oldest system that its platform tags promise it works on; nothing where they name none.
  std::optional<SystemVersion> leastSystem() const;
};

/// Whether two spellings may mean the same version: "0.9.1_cpu" in a file name is "0.9.1+cpu", and
/// 0.9 is 0.9.0, but 0.91 is not 0.9.1.
bool isSameVersion(llvm::StringRef one, llvm::StringRef other);

/// The version with a local part that says which repair it is: "0.9.1" gives "0.9.1+tcfix1",
/// "0.9.1+cpu" gives "0.9.1+cpu.tcfix1", "0.9.1+tcfix1" gives "0.9.1+tcfix2". Installers take it
/// for the same release, and prefer it. File names may spell the "+" of a local part otherwise, so
/// that `hasLocal` must say whether there is one.
std::string repairedVersion(llvm::StringRef version, bool hasLocal);

} // namespace tcfix::wheel
