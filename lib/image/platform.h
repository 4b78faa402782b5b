// The platforms that libraries are built for. Code that reads files uses Format; code about a
// target's directories, loader or tools uses Platform.
#pragma once

#include "tcfix/image.h"

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix {

enum class Platform { MacOs, Linux, Windows };

constexpr Platform platformOf(Format format) {
  return format == Format::MachO ? Platform::MacOs
         : format == Format::Elf ? Platform::Linux
                                 : Platform::Windows;
}

/// The format of the platform's libraries.
constexpr Format formatOf(Platform platform) {
  return platform == Platform::MacOs   ? Format::MachO
         : platform == Platform::Linux ? Format::Elf
                                       : Format::Pe;
}

constexpr llvm::StringLiteral nameOf(Platform platform) {
  return platform == Platform::MacOs   ? llvm::StringLiteral("macOS")
         : platform == Platform::Linux ? llvm::StringLiteral("Linux")
                                       : llvm::StringLiteral("Windows");
}

/// The platform's own name for an architecture: aarch64 on Linux, arm64 on the others.
inline std::string architectureOn(Platform platform, llvm::StringRef arch) {
  const bool isArm64 = arch == "arm64" || arch == "aarch64";
  return isArm64 ? platform == Platform::Linux ? "aarch64" : "arm64" : arch.str();
}

} // namespace tcfix
