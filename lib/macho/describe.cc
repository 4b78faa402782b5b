#include "macho/describe.h"

#include "macho/commands.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::macho {

using namespace llvm::MachO;

namespace {

std::string fileTypeName(uint32_t type) {
  switch (type) {
  case MH_OBJECT:
    return "object file";
  case MH_EXECUTE:
    return "executable";
  case MH_DYLIB:
    return "shared library";
  case MH_BUNDLE:
    return "bundle";
  case MH_DYLIB_STUB:
    return "stub library";
  case MH_DYLINKER:
    return "dynamic linker";
  case MH_DSYM:
    return "debug symbols";
  case MH_KEXT_BUNDLE:
    return "kernel extension";
  default:
    return "Mach-O file of type " + std::to_string(type);
  }
}

std::string platformName(uint32_t platform) {
  switch (platform) {
  case PLATFORM_MACOS:
    return "macOS";
  case PLATFORM_IOS:
    return "iOS";
  case PLATFORM_TVOS:
    return "tvOS";
  case PLATFORM_WATCHOS:
    return "watchOS";
  case PLATFORM_MACCATALYST:
    return "Mac Catalyst";
  default:
    return "platform " + std::to_string(platform);
  }
}

DependencyKind kindOf(uint32_t command) {
  switch (command) {
  case LC_LOAD_WEAK_DYLIB:
    return DependencyKind::Weak;
  case LC_REEXPORT_DYLIB:
    return DependencyKind::Reexport;
  case LC_LOAD_UPWARD_DYLIB:
    return DependencyKind::Upward;
  case LC_LAZY_LOAD_DYLIB:
    return DependencyKind::Delay;
  default:
    return DependencyKind::Normal;
  }
}

} // namespace

std::string versionText(uint32_t packed) {
  std::string text = std::to_string(packed >> 16) + "." + std::to_string((packed >> 8) & 0xff);
  if ((packed & 0xff) != 0)
    text += "." + std::to_string(packed & 0xff);
  return text;
}

Slice describe(const FileSlice& slice) {
  Slice result;
  result.arch = slice.arch;
  result.fileType = fileTypeName(slice.fileType);
  result.searchPaths = searchPathsOf(slice);
  auto note = [&](const char* name, std::string value) {
    result.details.emplace_back(name, std::move(value));
  };
  for (const LoadCommand& command : slice.commands) {
    if (isDependency(command.kind)) {
      result.dependencies.push_back(
          {nameIn(slice, command).str(), kindOf(command.kind), command.kind == LC_LAZY_LOAD_DYLIB});
      continue;
    }
    switch (command.kind) {
    case LC_ID_DYLIB:
      result.identity = nameIn(slice, command).str();
      break;
    case LC_BUILD_VERSION: {
      auto build = commandAs<build_version_command>(slice, command);
      result.minOs = versionText(build.minos);
      result.sdk = versionText(build.sdk);
      note("platform",
           platformName(build.platform) + " " + result.minOs + ", SDK " + versionText(build.sdk));
      break;
    }
    case LC_VERSION_MIN_MACOSX:
    case LC_VERSION_MIN_IPHONEOS:
    case LC_VERSION_MIN_TVOS:
    case LC_VERSION_MIN_WATCHOS: {
      auto version = commandAs<version_min_command>(slice, command);
      result.minOs = versionText(version.version);
      result.sdk = versionText(version.sdk);
      note("platform", "minimum " + result.minOs + ", SDK " + versionText(version.sdk));
      break;
    }
    case LC_UUID:
      note("uuid", llvm::toHex(llvm::ArrayRef(commandAs<uuid_command>(slice, command).uuid)));
      break;
    default:
      break;
    }
  }
  if (slice.isEditable())
    note("padding", std::to_string(freeRoom(slice)) + " bytes after the load commands");
  return result;
}

} // namespace tcfix::macho
