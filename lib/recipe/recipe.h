// Recipes: what is special to a package. Plain values; no other module spells a package's name.
//
// A package without a recipe of its own gets the generic one: its extension modules must load, each
// on its own; other libraries are loaded on demand, by ctypes, dlopen or as plugins; and a
// dependency that equals the identity of a sibling library is loaded by the package's own Python
// code before it is needed. parts.cc lists what is known to be otherwise.
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
  bool isOpenEnded; ///< goes with every later torch, too
  bool fits(Version other) const { return other == torch || (isOpenEnded && torch < other); }
};

/// Releases of the package, both included, whose highest FFmpeg major this is.
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

/// Releases, both included, that the package index has wheels of, and for which Pythons.
struct WheelSpan {
  Version first, last;
  Platform platform;
  llvm::StringLiteral arch;
  Version firstPython, lastPython; ///< both included
  bool isFreeThreaded = false;
};

/// Where a package is to run. What is not known (nothing, or empty) excludes nothing.
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

/// What a library's file name says of its part in the package.
struct LibraryRole {
  int major = 0;           ///< the FFmpeg major that it is for; 0 if it belongs to none
  int rank = 0;            ///< its place in the order in which a major's libraries are loaded
  bool isImported = false; ///< loaded by the import itself, whatever FFmpeg there is
  bool isOptional = false; ///< known to be loaded only where that works, or when it is asked for
};

/// The words of the package's own error, which lists an attempt for each FFmpeg major.
struct ErrorWords {
  llvm::StringLiteral beginOfList = "", endOfList = "";
  llvm::StringLiteral majorHeading = ""; ///< the major's number follows
  llvm::StringLiteral sentence = "";     ///< what the error begins with
};

struct Recipe {
  std::string name;       ///< as it is installed
  std::string importName; ///< empty: as `name`
  /// Which of its files are its libraries: those whose name begins so; empty: all of them.
  std::string libraryPrefix;
  /// Beginnings of the names of libraries that exist once for each FFmpeg major, any one of which
  /// suffices, in the order of loading. The longest that fits a name counts; the major is the
  /// number at the end of the stem. Majors are tried from the highest to the lowest.
  std::vector<std::string> ffmpegStems;
  /// Stems of the libraries that every import loads. In a package with majors the others that
  /// belong to none are loaded on demand, and do not count.
  std::vector<std::string> importedStems;
  /// Beginnings of the names of libraries, modules too, that the package does without if they fail.
  std::vector<std::string> optionalStems;
  /// Its extension modules must load; other libraries only if they are imported.
  bool isJudgedByModules = false;
  /// Its Python code loads what it needs from NVIDIA's wheels before its own libraries.
  bool preloadsNvidia = false;
  bool importsTorch = false; ///< before its own libraries, so that torch's are there already
  /// Its Python code may load a library before another that depends on it.
  bool loadsSiblingsFirst = true;
  llvm::ArrayRef<TorchMatch> torchMatches; ///< oldest first; empty: not known
  llvm::ArrayRef<WheelSpan> wheelSpans;    ///< empty: not known
  llvm::ArrayRef<CudaBuild> cudaBuilds;
  llvm::ArrayRef<MajorSpan> majorSpans; ///< oldest first; empty: not known
  std::string pluginGroup; ///< the entry points of its plugins, which an import loads; may be empty
  /// A release without any content, which installers choose where no wheel fits; may be empty.
  std::string placeholder;
  /// From this release on an import succeeds without FFmpeg, and proves nothing; may be unknown.
  Version lazySince;
  /// A variable of the environment that keeps plugins from loading if it is 0; may be empty.
  std::string pluginSwitch;
  ErrorWords errorWords;
  std::string (*versionedSmokeTest)(std::optional<Version>) = nullptr;

  LibraryRole roleOf(llvm::StringRef fileName) const;
  /// The torch that a release was built for; null if the table does not say.
  const TorchMatch* matchFor(Version release) const;
  /// The newest release that goes with this torch (any, if its version is not known) and has a
  /// wheel for the machine; nothing if none is known.
  std::optional<Release> releaseFor(const TorchBuild& torch, const Machine& machine) const;
  /// The same of the releases whose wheels on the package index need no CUDA.
  std::optional<Release> releaseWithoutCuda(const TorchBuild& torch, const Machine& machine) const;
  /// The oldest release that has a wheel for the machine, whatever torch there is.
  std::optional<Release> firstReleaseFor(const Machine& machine) const;
  /// The highest FFmpeg major that a release can use; 0 if the table does not say.
  int highestMajorOf(Version release) const;
  /// For pip: the torch that a release was built for, "torch==2.9.*" or "torch>=2.11"; empty if the
  /// table does not say.
  std::string torchRequirement(Version release) const;
  /// Python code that fails, or prints None, unless the package works; in this version (empty:
  /// unknown). Empty where there is no name to import.
  std::string smokeTest(llvm::StringRef version) const;

private:
  /// All that fit, oldest first.
  std::vector<Release> releases(const TorchBuild& torch, const Machine& machine) const;
};

/// What tcfix repairs unless told otherwise.
const Recipe& defaultRecipe();

/// The recipe of a package, by the name that it is installed by, in any letter case; the generic
/// one, under this name, if it has none of its own.
Recipe recipeFor(llvm::StringRef package);

} // namespace tcfix::recipe
