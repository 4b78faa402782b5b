// Recipes: package-specific knowledge. Plain values; no other module contains the name of a
// package.
//
// A package without a recipe gets the generic one: its extension modules must load, each on its
// own; other libraries are loaded on demand, by ctypes, dlopen or as plugins; and a dependency that
// equals the identity of a sibling library is loaded by the package's own Python code before it is
// needed. parts.cc lists known exceptions.
#pragma once

#include "base/version.h"
#include "image/platform.h"
#include "recipe/torch_build.h"

#include <llvm/ADT/ArrayRef.h>

#include <vector>

namespace tcfix::recipe {

/// Releases of the package, both included, and the torch that they were built for.
struct TorchMatch {
  Version first, last;
  Version torch;
  bool isOpenEnded; ///< also compatible with every later torch
  bool fits(Version other) const { return other == torch || (isOpenEnded && torch < other); }
};

/// Releases of the package, both included, with this highest FFmpeg major.
struct MajorSpan {
  int highest;
  Version first, last;
};

/// Releases, both included, whose Linux wheels on the package index need CUDA.
struct CudaBuild {
  Version first, last;
  llvm::StringLiteral arch;
  int cudaMajor;
};

/// Releases, both included, with wheels on the package index, and the Pythons they are for.
struct WheelSpan {
  Version first, last;
  Platform platform;
  llvm::StringLiteral arch;
  Version firstPython, lastPython; ///< both included
  bool isFreeThreaded = false;
};

/// Where a package will run. Unknown values (nothing, or empty) exclude nothing.
struct Machine {
  std::optional<Platform> platform = {};
  std::string arch = {};   ///< as slices spell it: "x86_64", "aarch64", "arm64"
  std::string python = {}; ///< such as "3.12" or "3.13t"
};

/// A release that can be installed.
struct Release {
  Version version;
  int cudaMajor = 0; ///< of the package index's wheel for that machine; 0: none
  /// For pip: "torchcodec==0.9.*".
  std::string requirement(llvm::StringRef package) const {
    return package.str() + "==" + version.text() + ".*";
  }
};

/// The role of a library in the package, derived from its file name.
struct LibraryRole {
  int major = 0;           ///< the FFmpeg major that it is for; 0 if it belongs to none
  int rank = 0;            ///< its position in the load order of its major
  bool isImported = false; ///< loaded by the import itself, regardless of FFmpeg
  bool isOptional = false; ///< may fail to load, or is loaded only on request
};

/// The wording of the package's own error, which lists an attempt for each FFmpeg major.
struct ErrorWords {
  llvm::StringLiteral beginOfList = "", endOfList = "";
  llvm::StringLiteral majorHeading = ""; ///< the major's number follows
  llvm::StringLiteral sentence = "";     ///< what the error begins with
};

struct Recipe {
  std::string name;       ///< the name of the distribution
  std::string importName; ///< empty: same as `name`
  /// Its libraries are the files whose names begin with this; empty: all libraries.
  std::string libraryPrefix;
  /// Prefixes of the names of libraries that exist once for each FFmpeg major, any one of which is
  /// enough, in load order. The longest matching prefix counts; the major is the number at the end
  /// of the stem. Majors are tried from the highest to the lowest.
  std::vector<std::string> ffmpegStems;
  /// Stems of the libraries that every import loads. In a package with majors, other libraries
  /// without a major are loaded on demand and do not count.
  std::vector<std::string> importedStems;
  /// Prefixes of the names of libraries and modules that the package works without.
  std::vector<std::string> optionalStems;
  /// Its extension modules must load; other libraries only if they are imported.
  bool isJudgedByModules = false;
  /// Importing it executes no code, as for `nvidia`, whose directory several packages share.
  bool isNamespace = false;
  /// Its Python code loads libraries of NVIDIA's wheels before its own libraries.
  bool preloadsNvidia = false;
  bool importsTorch = false; ///< before its own libraries, so that torch's are already loaded
  /// Its Python code may load a library before another that depends on it.
  bool loadsSiblingsFirst = true;
  llvm::ArrayRef<TorchMatch> torchMatches; ///< oldest first; empty: unknown
  llvm::ArrayRef<WheelSpan> wheelSpans;    ///< empty: unknown
  llvm::ArrayRef<CudaBuild> cudaBuilds;
  llvm::ArrayRef<MajorSpan> majorSpans; ///< oldest first; empty: unknown
  std::string pluginGroup; ///< the entry points of its plugins, which an import loads; may be empty
  /// A release without content, which installers choose if no wheel fits; may be empty.
  std::string placeholder;
  /// From this release on, an import succeeds without FFmpeg and proves nothing; may be unknown.
  Version lazySince;
  /// An environment variable that prevents plugins from loading if it is 0; may be empty.
  std::string pluginSwitch;
  ErrorWords errorWords;
  std::string (*versionedSmokeTest)(std::optional<Version>) = nullptr;

  /// The package that tcfix repairs by default.
  bool isDefault() const;
  LibraryRole roleOf(llvm::StringRef fileName) const;
  /// The torch that a release was built for; null if the table does not contain it.
  const TorchMatch* matchFor(Version release) const;
  /// The newest release that is compatible with this torch (any, if its version is unknown) and has
  /// a wheel for the machine; nothing if none is known.
  std::optional<Release> releaseFor(const TorchBuild& torch, const Machine& machine) const;
  /// The same among the releases whose wheels on the package index need no CUDA.
  std::optional<Release> releaseWithoutCuda(const TorchBuild& torch, const Machine& machine) const;
  /// The oldest release that has a wheel for the machine, regardless of torch.
  std::optional<Release> firstReleaseFor(const Machine& machine) const;
  /// The highest FFmpeg major that a release can use; 0 if the table does not contain it.
  int highestMajorOf(Version release) const;
  /// For pip: the torch that a release was built for, "torch==2.9.*" or "torch>=2.11"; empty if the
  /// table does not contain it.
  std::string torchRequirement(Version release) const;
  /// Python code that fails, or prints None, unless the package works; for this version (empty:
  /// unknown). Empty if there is nothing to import.
  std::string smokeTest(llvm::StringRef version) const;

private:
  /// All compatible releases, oldest first.
  std::vector<Release> releases(const TorchBuild& torch, const Machine& machine) const;
};

/// The package that tcfix repairs by default.
const Recipe& defaultRecipe();

/// The recipe of a distribution, by its name in any letter case; the generic recipe with this name
/// if there is none.
Recipe recipeFor(llvm::StringRef package);

} // namespace tcfix::recipe
