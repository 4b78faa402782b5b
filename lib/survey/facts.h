// Facts: the input of a plan or a diagnosis, gathered once. Plain values, which rules only read.
#pragma once

#include "env/package.h"
#include "image/platform.h"
#include "providers/ffmpeg.h"
#include "providers/standing_place.h"
#include "providers/torch.h"
#include "recipe/recipe.h"
#include "resolve/session.h"

namespace tcfix::survey {

/// A library of the package as the installer left it.
struct LibraryFacts {
  std::string path; ///< host path
  std::string name; ///< file name
  recipe::LibraryRole role;
  std::optional<std::string> identity;
  /// Dependencies and search paths before tcfix changed them; the file itself may have others now.
  resolve::LibraryOverride original;
  bool isModule = false; ///< an extension module, which Python itself loads
  bool isNeeded = true;  ///< false: loaded on demand; the package works without it
};

/// One package in one site, and its surroundings.
struct PackageFacts {
  env::Package package;
  Platform platform = Platform::MacOs;
  std::string root; ///< host path of the environment, which can be moved as a whole
  /// Host paths of the directories that the package's Python imports from, in order.
  std::vector<std::string> sites;
  std::vector<LibraryFacts> libraries;
  /// Paths, by identity, of other libraries that its Python code may have loaded before: libraries
  /// of the same package, if only a part of it is examined, or of NVIDIA's wheels.
  std::map<std::string, std::string> siblings;
  std::vector<Problem> unreadable; ///< why other libraries of the package are not in `libraries`
  std::optional<providers::TorchInstall> torch;
  bool isAfterTorch = false;           ///< torch is imported before its libraries are loaded
  std::vector<std::string> torchNames; ///< the libraries in torch/lib, by file name
  std::vector<providers::FfmpegInstall> ffmpegs;
  providers::StandingPlace standingPlace; ///< for an FFmpeg that is installed later
  /// Directories that may contain other missing libraries: those given by the user, grafted
  /// libraries, NVIDIA's wheels, Homebrew's.
  std::vector<std::string> otherFolders;
  std::vector<std::string> namedFolders; ///< those given by the user
  /// Without environment variables: a plan must work in a process that has none.
  resolve::ProcessOptions process;
  /// LD_LIBRARY_PATH and the like, as a Python started here would have them.
  std::map<std::string, std::string> variables;

  /// Host paths of torch's libraries; none without torch.
  std::vector<std::string> torchLibraries() const;
  /// The library with most of torch's symbols; empty if it does not exist.
  std::string mainTorchLibrary() const;
};

/// Libraries that only work together: those of one FFmpeg major, in the order of loading.
struct Group {
  enum class Need {
    Always,
    OneMajor, ///< at least one of the groups with a major must load
    OnDemand, ///< need not load
  };
  int major = 0; ///< 0: one library that belongs to no major
  Need need = Need::Always;
  std::vector<const LibraryFacts*> libraries;
};

/// The majors from the highest to the lowest, as the package tries them, then all other libraries.
std::vector<Group> groupsOf(const PackageFacts& facts);

/// Whether a package works, given the verdicts on its groups; `required` majors must load, too.
resolve::Verdict verdictOf(llvm::ArrayRef<Group> groups,
                           llvm::function_ref<resolve::Verdict(size_t group)> verdict,
                           llvm::ArrayRef<int> required = {});

/// Describes a library by the contents of its slice.
LibraryFacts describeLibrary(const std::string& path, const Slice& slice,
                             const recipe::Recipe& recipe);

/// The FFmpeg major that the dependencies require; nothing if they require none.
std::optional<int> ffmpegMajorOf(const LibraryFacts& library);

} // namespace tcfix::survey
