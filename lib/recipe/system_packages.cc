#include "recipe/system_packages.h"

#include <llvm/ADT/Twine.h>

namespace tcfix::recipe {

namespace {

/// Debian 12, apt-file; later releases of Debian and Ubuntu have these names, too. Package names in
/// messages of a loader or Qt are used unchanged.
struct SystemPackage {
  llvm::StringLiteral library, package;
};
constexpr SystemPackage kDebian[] = {
    {"libGL.so.1", "libgl1"},
    {"libEGL.so.1", "libegl1"},
    {"libOpenGL.so.0", "libopengl0"},
    {"libGLU.so.1", "libglu1-mesa"},
    {"libgbm.so.1", "libgbm1"},
    {"libvulkan.so.1", "libvulkan1"},
    {"libgthread-2.0.so.0", "libglib2.0-0"},
    {"libglib-2.0.so.0", "libglib2.0-0"},
    {"libgobject-2.0.so.0", "libglib2.0-0"},
    {"libgio-2.0.so.0", "libglib2.0-0"},
    {"libSM.so.6", "libsm6"},
    {"libICE.so.6", "libice6"},
    {"libX11.so.6", "libx11-6"},
    {"libX11-xcb.so.1", "libx11-xcb1"},
    {"libXext.so.6", "libxext6"},
    {"libXrender.so.1", "libxrender1"},
    {"libXi.so.6", "libxi6"},
    {"libXrandr.so.2", "libxrandr2"},
    {"libXtst.so.6", "libxtst6"},
    {"libxcb.so.1", "libxcb1"},
    {"libxcb-cursor.so.0", "libxcb-cursor0"},
    {"libxcb-cursor0", "libxcb-cursor0"},
    {"libxcb-icccm.so.4", "libxcb-icccm4"},
    {"libxcb-image.so.0", "libxcb-image0"},
    {"libxcb-keysyms.so.1", "libxcb-keysyms1"},
    {"libxcb-xinerama.so.0", "libxcb-xinerama0"},
    {"libxkbcommon.so.0", "libxkbcommon0"},
    {"libxkbcommon-x11.so.0", "libxkbcommon-x11-0"},
    {"libfontconfig.so.1", "libfontconfig1"},
    {"libcairo.so.2", "libcairo2"},
    {"libpango-1.0.so.0", "libpango-1.0-0"},
    {"libpangoft2-1.0.so.0", "libpangoft2-1.0-0"},
    {"libdbus-1.so.3", "libdbus-1-3"},
    {"libnss3.so", "libnss3"},
    {"libcups.so.2", "libcups2"},
    {"libasound.so.2", "libasound2"},
    {"libpulse.so.0", "libpulse0"},
    {"libsndfile.so.1", "libsndfile1"},
    {"libportaudio.so.2", "libportaudio2"},
    {"libespeak-ng.so.1", "libespeak-ng1"},
    {"libsox.so", "libsox-dev"},
    {"libsox.so.3", "libsox3"},
    {"libgomp.so.1", "libgomp1"},
    {"libgfortran.so.5", "libgfortran5"},
    {"libquadmath.so.0", "libquadmath0"},
    {"libatomic.so.1", "libatomic1"},
    {"libopenblas.so.0", "libopenblas0"},
    {"libnuma.so.1", "libnuma1"},
    {"libaio.so.1", "libaio1"},
    {"libssl.so.3", "libssl3"},
    {"libcrypto.so.3", "libssl3"},
    {"libcurl.so.4", "libcurl4"},
    {"libxml2.so.2", "libxml2"},
    {"libffi.so.8", "libffi8"},
    {"libtinfo.so.6", "libtinfo6"},
    {"libbz2.so.1.0", "libbz2-1.0"},
    {"libuuid.so.1", "libuuid1"},
    {"libmagic.so.1", "libmagic1"},
    {"libzmq.so.5", "libzmq5"},
    {"libpq.so.5", "libpq5"},
    {"libtbb.so.12", "libtbb12"},
    {"libmpi.so.40", "libopenmpi3"},
    {"libmpi_cxx.so.40", "libopenmpi3"},
    {"libsqlite3.so.0", "libsqlite3-0"},
    {"libusb-1.0.so.0", "libusb-1.0-0"},
    {"libSDL2-2.0.so.0", "libsdl2-2.0-0"},
    {"libheif.so.1", "libheif1"},
};

constexpr llvm::StringLiteral kRuntime[] = {"vcruntime140", "msvcp140", "vcomp140", "concrt140"};

/// Homebrew's formulas, by the name of the library up to its version.
constexpr SystemPackage kHomebrew[] = {{"libglib-2.0", "glib"},
                                       {"libgobject-2.0", "glib"},
                                       {"libgio-2.0", "glib"},
                                       {"libgthread-2.0", "glib"},
                                       {"libpango-1.0", "pango"},
                                       {"libpangoft2-1.0", "pango"},
                                       {"libharfbuzz", "harfbuzz"},
                                       {"libcairo", "cairo"},
                                       {"libfontconfig", "fontconfig"},
                                       {"libsndfile", "libsndfile"},
                                       {"libportaudio", "portaudio"},
                                       {"libsox", "sox"},
                                       {"libespeak-ng", "espeak-ng"},
                                       {"libmagic", "libmagic"},
                                       {"libzmq", "zeromq"},
                                       {"libpq", "libpq"},
                                       {"libusb-1.0", "libusb"},
                                       {"libSDL2-2.0", "sdl2"},
                                       {"libzbar", "zbar"},
                                       {"libopenblas", "openblas"},
                                       {"libtbb", "tbb"},
                                       {"libheif", "libheif"},
                                       {"libomp", "libomp"},
                                       {"libopus", "opus"}};

} // namespace

std::string homebrewFormulaOf(llvm::StringRef library) {
  for (const SystemPackage& each : kHomebrew)
    if (llvm::StringRef rest = library; rest.consume_front(each.library) && rest.starts_with("."))
      return each.package.str();
  return {};
}

bool isWindowsRuntime(llvm::StringRef library) {
  const std::string name = library.lower();
  for (llvm::StringRef each : kRuntime)
    if (llvm::StringRef rest = name; rest.consume_front(each))
      return rest == ".dll" || rest == "_1.dll" || rest == "_2.dll"; // not the debug version
  return false;
}

std::string systemPackageOf(llvm::StringRef library) {
  if (isWindowsRuntime(library))
    return "Microsoft.VCRedist.2015+.x64";
  // Without its number, as ctypes searches for it: the existing one.
  const std::string beginning = library.ends_with(".so") ? (library + ".").str() : "";
  for (const SystemPackage& each : kDebian)
    if (each.library == library ||
        (!beginning.empty() && llvm::StringRef(each.library).starts_with(beginning)))
      return each.package.str();
  return {};
}

} // namespace tcfix::recipe
