// Facts: everything that a plan or a diagnosis is made from, gathered once. Plain values; rules
// only read them.
#pragma once

#include "env/package.h"
#include "image/platform.h"
#include "providers/ffmpeg.h"
#include "providers/standing_place.h"
#include "providers/torch.h"
#include "recipe/recipe.h"
#include "resolve/session.h"

namespace tcfix::survey {

/// A library of the package, as the installer left it.
struct LibraryFacts {
  std::string path; ///< host path
  std::string name; ///< file name
  recipe::LibraryRole role;
  std::optional<std::string> identity;
  /// Dependencies and search paths before tcfix changed them; the file itself may have other ones.
  resolve::LibraryOverride original;
  bool isModule = false; ///< an extension module, which Python itself loads
  bool isNeeded = true;  ///< false: loaded on demand, so that the package works without it
};

/// One package in one site, and the world around it.
struct PackageFacts {
  env::Package package;
  Platform platform = Platform::MacOs;
  std::string root; ///< host path of the environment: what lies below moves with it
  std::vector<LibraryFacts> libraries;
  /// Paths, by identity, of other libraries that its Python code may have loaded before: of the
  /// same package, if a part of it was named, or of NVIDIA's wheels.
  std::map<std::string, std::string> siblings;
  std::vector<Problem> unreadable; ///< why other libraries of the package were left out
  std::optional<providers::TorchInstall> torch;
  bool isAfterTorch = false;           ///< torch is imported before its libraries are loaded
  std::vector<std::string> torchNames; ///< the libraries in torch/lib, by file name
  std::vector<providers::FfmpegInstall> ffmpegs;
  providers::StandingPlace standingPlace; ///< of an FFmpeg that is installed later
  /// Folders that may hold what else is missing: those that the user named, grafted libraries,
  /// nvidia's, Homebrew's.
  std::vector<std::string> otherFolders;
  std::vector<std::string> namedFolders; ///< those of them that the user named
  /// Without variables: a plan must hold in a process that has none.
  resolve::ProcessOptions process;
  /// LD_LIBRARY_PATH and the like, as a python started here would have them.
  std::map<std::string, std::string> variables;
};

/// Libraries that stand or fall together: those of one FFmpeg major, in the order of loading.
struct Group {
  enum class Need {
    Always,
    OneMajor, ///< one of the groups with a major must load, whichever
    OnDemand, ///< does not count
  };
  int major = 0; ///< 0: one library that belongs to no major
  Need need = Need::Always;
  std::vector<const LibraryFacts*> libraries;
};

/// The majors from the highest to the lowest, as the package tries them, then all other libraries.
std::vector<Group> groupsOf(const PackageFacts& facts);

/// Whether a package works, by the verdicts on its groups; `required` majors must load, too.
resolve::Verdict verdictOf(llvm::ArrayRef<Group> groups,
                           llvm::function_ref<resolve::Verdict(size_t group)> verdict,
                           llvm::ArrayRef<int> required = {});

/// A library with what its slice contains.
LibraryFacts describeLibrary(const std::string& path, const Slice& slice,
                             const recipe::Recipe& recipe);

/// The FFmpeg major that the dependencies name; nothing if they name none.
std::optional<int> ffmpegMajorOf(const LibraryFacts& library);

} // namespace tcfix::survey
