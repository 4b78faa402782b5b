#include "recipe/system_packages.h"

namespace tcfix::recipe {

namespace {

/// Debian 12, apt-file; names of packages that a loader or Qt asks for stand for themselves.
struct SystemPackage {
  llvm::StringLiteral library, package;
};
constexpr SystemPackage kDebian[] = {
    {"libGL.so.1", "libgl1"},
    {"libEGL.so.1", "libegl1"},
    {"libgthread-2.0.so.0", "libglib2.0-0"},
    {"libglib-2.0.so.0", "libglib2.0-0"},
    {"libSM.so.6", "libsm6"},
    {"libXext.so.6", "libxext6"},
    {"libXrender.so.1", "libxrender1"},
    {"libxcb-cursor.so.0", "libxcb-cursor0"},
    {"libxcb-cursor0", "libxcb-cursor0"},
    {"libxkbcommon-x11.so.0", "libxkbcommon-x11-0"},
    {"libsndfile.so.1", "libsndfile1"},
    {"libportaudio.so.2", "libportaudio2"},
    {"libgomp.so.1", "libgomp1"},
    {"libsox.so", "libsox-dev"},
    {"libsqlite3.so.0", "libsqlite3-0"},
    {"libusb-1.0.so.0", "libusb-1.0-0"},
};

constexpr llvm::StringLiteral kRuntime[] = {"vcruntime140", "msvcp140", "vcomp140", "concrt140"};

} // namespace

bool isWindowsRuntime(llvm::StringRef library) {
  const std::string name = library.lower();
  for (llvm::StringRef each : kRuntime)
    if (llvm::StringRef rest = name; rest.consume_front(each))
      return rest == ".dll" || rest == "_1.dll" || rest == "_2.dll"; // not the one for debugging
  return false;
}

std::string systemPackageOf(llvm::StringRef library) {
  if (isWindowsRuntime(library))
    return "Microsoft.VCRedist.2015+.x64";
  for (const SystemPackage& each : kDebian)
    if (each.library == library)
      return each.package.str();
  return {};
}

} // namespace tcfix::recipe
