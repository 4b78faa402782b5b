// The recommended commands, ready to type. All of them are built here.
//
// Installed packages have a version that fits the package, torch, the platform and Python
// (recipe/). A build that is on no package index is never replaced: the command is then empty. A
// command that installs a package's own libraries, or something that they need, continues with
// `tcfix apply`: otherwise a repair would be lost, or the new library would not be found.
#pragma once

#include "recipe/recipe.h"

namespace tcfix::advice {

/// The program that installs packages into the environment.
enum class Installer { Pip, Uv, Conda, Pixi };

/// What commands depend on.
struct Context {
  recipe::Machine machine = {};
  Installer installer = Installer::Pip;
  std::string environment = {}; ///< for installers that need it; empty: the active one
  std::string package = {};     ///< its name
  std::string release = {};     ///< its version; empty if it is unknown
  recipe::TorchBuild torch = {};
  std::string applyCommand = {}; ///< "tcfix apply TARGET", with the options about the target
  /// Its files can be installed again from a package index. False for the user's own builds.
  bool canReplace = true, canReplaceTorch = true;
  bool isFromConda = false;    ///< about the package; pip must not change it then
  bool torchIsMissing = false; ///< known not to be installed, so nothing is replaced
};

/// A word of a command line, in quotes if it needs them.
std::string quoted(llvm::StringRef word, std::optional<Platform> platform = {});

/// Installs an FFmpeg of one of these majors; without any, one that the release can use.
std::string ffmpegInstallCommand(const Context& context, llvm::ArrayRef<int> majors);

/// Installs a PyAV with such an FFmpeg inside; empty if no release of PyAV has one.
std::string pyavInstallCommand(const Context& context, llvm::ArrayRef<int> majors);

/// Makes the package use PyAV's FFmpeg, which contains all that it needs, instead of one whose own
/// dependencies fail; empty if no release of PyAV has one.
std::string bundledFfmpegCommand(const Context& context, llvm::ArrayRef<int> majors);

/// Installs FFmpeg's DLLs beside an FFmpeg that has none.
std::string sharedFfmpegCommand(const Context& context, llvm::ArrayRef<int> majors);

/// Installs the release of the package that is compatible with this torch, in a build that needs no
/// other CUDA than torch's; if none is known, the newest pair.
std::string fittingReleaseCommand(const Context& context);

/// The same release, if it is compatible with this torch, from torch's own channel; if no channel
/// is known, as above; if torch is unknown, the newest release without CUDA.
std::string sameChannelCommand(const Context& context);

/// Installs the newest compatible pair of package and torch; empty if torch must not be replaced.
std::string newestPairCommand(const Context& context);

/// Installs the torch that the package was built for.
std::string torchInstallCommand(const Context& context);

/// Installs a missing package without changing torch.
std::string installCommand(const Context& context, const std::string& package);

/// Installs this release of a package from the index that is used already.
std::string releaseCommand(const Context& context, const std::string& package,
                           const std::string& release);

/// True for a package whose releases require one version of torch each.
bool isBuiltForOneTorch(llvm::StringRef package);

/// Reinstalls such a package from the channel of this torch; empty if that is unknown. The command
/// contains torch in its installed version, so that it is not replaced.
std::string sameBuildCommand(const Context& context, const std::string& package);

/// Reinstalls a package whose module was built for another torch, for this one; empty if no such
/// command is known for it, or torch is a vendor's.
std::string rebuildCommand(const Context& context, llvm::StringRef module);

/// Installs this build of a package from the index of its channel: "2.4.0+cu124".
std::string channelCommand(const Context& context, const std::string& package,
                           llvm::StringRef version);

/// The distribution on the package index that contains this module; empty if there are several.
std::string distributionOf(llvm::StringRef module);

/// Installs the system packages with these libraries; empty if none is known. Homebrew's directory
/// is searched only if a variable lists it.
std::string systemPackageCommand(const Context& context, llvm::ArrayRef<std::string> libraries);

/// Lets the loader find a library of CUDA that a program opens by name; empty if no wheel has it.
std::string openedCudaCommand(const Context& context, llvm::StringRef library);

/// Installs the release for torch's CUDA of a package that opens CUDA's libraries by name; empty if
/// its release is not known to be for another one.
std::string cudaReleaseCommand(const Context& context, llvm::StringRef library);

/// Lets torch find the library that has this symbol, of those with several versions; empty if none
/// is known.
std::string torchSymbolCommand(const Context& context, llvm::StringRef symbol,
                               llvm::StringRef provider);

/// Lets conda install packages from any of its channels.
std::string anyChannelCommand();

/// Installs NVIDIA's wheel with this library; empty if none is known, or torch has another CUDA.
std::string cudaInstallCommand(const Context& context, llvm::StringRef library);

/// Installs libheif, which the package loads only for HEIC images.
std::string libheifCommand(const Context& context);

/// Installs the release of a plugin that matches the package's; they have the same version numbers.
std::string pluginCommand(const Context& context, const std::string& plugin);

/// Reinstalls the package's own files in the installed version.
std::string reinstallCommand(const Context& context);
/// The same for torch; `withDependencies` also reinstalls NVIDIA's wheels.
std::string torchReinstallCommand(const Context& context, bool withDependencies);

} // namespace tcfix::advice
