// The commands that help, ready to type. All of them are built here.
//
// What they install carries a version that fits the package, torch, the platform and Python
// (recipe/), and they never replace a build that no package index has again: then they are empty.
// A command that brings a package's own libraries, or something that they need, goes on with
// `tcfix apply`: else a repair would be lost, or the new library not be found.
#pragma once

#include "recipe/recipe.h"

namespace tcfix::advice {

/// What brings packages into the environment.
enum class Installer { Pip, Uv, Conda, Pixi };

/// What commands depend on.
struct Context {
  recipe::Machine machine = {};
  Installer installer = Installer::Pip;
  std::string environment = {}; ///< for installers that must be told; empty: the active one
  std::string package = {};     ///< its name
  std::string release = {};     ///< its version; empty if it is unknown
  recipe::TorchBuild torch = {};
  std::string applyCommand = {}; ///< "tcfix apply TARGET", with the options about the target
  /// Its files come from a package index, which has them again. False for builds of one's own.
  bool canReplace = true, canReplaceTorch = true;
  bool isFromConda = false;    ///< the package; then pip must not touch it
  bool torchIsMissing = false; ///< known not to be installed, so that nothing can be replaced
};

/// A word of a command line, in quotes if it needs them.
std::string quoted(llvm::StringRef word, std::optional<Platform> platform = {});

/// Installs an FFmpeg of one of these majors; without any, of one that the release can use.
std::string ffmpegInstallCommand(const Context& context, llvm::ArrayRef<int> majors);

/// Installs a PyAV with such an FFmpeg inside; empty if no release of PyAV has one.
std::string pyavInstallCommand(const Context& context, llvm::ArrayRef<int> majors);

/// Installs FFmpeg's DLLs beside an FFmpeg that has none.
std::string sharedFfmpegCommand(const Context& context, llvm::ArrayRef<int> majors);

/// Installs the release of the package that goes with this torch, and a build of it that needs no
/// other CUDA than torch has; where none is known, both anew.
std::string fittingReleaseCommand(const Context& context);

/// The same release, if it goes with this torch, from torch's own channel; where no channel is
/// known, as above; where nothing is known of torch, the newest release without CUDA.
std::string sameChannelCommand(const Context& context);

/// Installs package and torch anew, the newest that go together; empty if torch is not to be
/// replaced.
std::string newestPairCommand(const Context& context);

/// Installs the torch that the package was built for.
std::string torchInstallCommand(const Context& context);

/// Installs a package that is missing, without changing torch.
std::string installCommand(const Context& context, const std::string& package);

/// True for a package whose releases require one version of torch each.
bool isBuiltForOneTorch(llvm::StringRef package);

/// Installs this build of a package from the index of its channel: "2.4.0+cu124".
std::string channelCommand(const Context& context, const std::string& package,
                           llvm::StringRef version);

/// What pip calls the package that brings this module; empty if there are several.
std::string distributionOf(llvm::StringRef module);

/// Installs the system's package with this library; empty if none is known.
std::string systemPackageCommand(llvm::StringRef library);

/// Installs NVIDIA's wheel with this library; empty if none is known, or torch has another CUDA.
std::string cudaInstallCommand(const Context& context, llvm::StringRef library);

/// Installs libheif, which the package loads for HEIC images only.
std::string libheifCommand(const Context& context);

/// Installs the release of a plugin that goes with the package's; they have the same numbers.
std::string pluginCommand(const Context& context, const std::string& plugin);

/// Brings the package's own files back, in the version that is installed.
std::string reinstallCommand(const Context& context);
/// The same for torch; `withDependencies` also brings NVIDIA's wheels.
std::string torchReinstallCommand(const Context& context, bool withDependencies);

} // namespace tcfix::advice
