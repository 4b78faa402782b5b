// Recipes: what is special to a package. Plain values; no other module spells a package's name.
//
// A package without a recipe of its own gets the generic one: all of its libraries count, each is
// loaded on its own, and a dependency that equals the identity of a sibling library is loaded by
// the package's own Python code before it is needed.
#pragma once

#include "base/version.h"

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

/// What a library's file name says of its part in the package.
struct LibraryRole {
  int major = 0;           ///< the FFmpeg major that it is for; 0 if it belongs to none
  int rank = 0;            ///< its place in the order in which a major's libraries are loaded
  bool isImported = false; ///< loaded by the import itself, whatever FFmpeg there is
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
  bool importsTorch = false; ///< before its own libraries, so that torch's are there already
  /// Its Python code may load a library before another that depends on it.
  bool loadsSiblingsFirst = true;
  llvm::ArrayRef<TorchMatch> torchMatches; ///< oldest first; empty: not known
  llvm::ArrayRef<CudaBuild> cudaBuilds;
  llvm::ArrayRef<MajorSpan> majorSpans; ///< empty: not known
  ErrorWords errorWords;
  std::string (*versionedSmokeTest)(std::optional<Version>) = nullptr;

  bool hasFfmpegMajors() const { return !ffmpegStems.empty(); }
  LibraryRole roleOf(llvm::StringRef fileName) const;
  /// The torch that a release was built for; null if the table does not say.
  const TorchMatch* matchFor(Version release) const;
  /// The newest release that goes with this torch, such as "0.9.*"; nothing if none is known.
  std::optional<std::string> releaseFor(llvm::StringRef torchVersion) const;
  /// Python code that fails, or prints None, unless the package works; in this version (empty:
  /// unknown). Empty where there is no name to import.
  std::string smokeTest(llvm::StringRef version) const;
};

/// What tcfix repairs unless told otherwise.
const Recipe& defaultRecipe();

/// The recipe of a package, by the name that it is installed by, in any letter case; the generic
/// one, under this name, if it has none of its own.
Recipe recipeFor(llvm::StringRef package);

} // namespace tcfix::recipe
