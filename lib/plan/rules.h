// The rules: each looks at the facts and adds to a draft what it finds missing. One file a rule.
#pragma once

#include "plan/draft.h"

namespace tcfix::plan {

using survey::Group;
using survey::GroupLoads;
using survey::LibraryFacts;
using survey::PackageFacts;
using survey::Regime;
using survey::Simulation;

/// What the user asked for.
struct Request {
  std::vector<std::string> searchPaths; ///< literal entries for every library
  enum class Ffmpeg { Auto, Pyav, None } ffmpeg = Ffmpeg::Auto;
  /// Leaves alone what loads after the package's own Python code, or does not get better.
  bool onlyWhatFails = false;
};

/// How a library's dependencies are met so far; one for each dependency that is not.
struct Unmet {
  size_t dependency; ///< index into the draft's override
  std::string name;  ///< its last component
};

/// The dependencies that the library itself does not lead to, or nobody knows where to.
std::vector<Unmet> findUnmet(const Draft& draft, const Simulation& simulation);

/// The user's own entries, first of all and whatever they lead to.
void addLiteralEntries(Draft& draft, const Request& request, const PackageFacts& facts,
                       const Simulation& simulation);

/// Whether those alone lead to all of FFmpeg that the library asks for.
bool findsFfmpegByLiteralEntries(const Draft& draft, const Request& request,
                                 const Simulation& simulation);

/// Whether the place that an entry names can be looked at from here.
bool isWithinReach(llvm::StringRef entry, const io::TargetDisk& disk);

/// Whether an entry alone would lead to any of the library's dependencies.
bool leadsSomewhere(const std::string& entry, const Draft& draft, const Simulation& simulation);

/// A way to torch's libraries, from each library that needs them. On a disk that cannot be seen,
/// to where torch will be, if it is not there yet.
void leadToTorch(Draft& draft, const PackageFacts& facts, const Simulation& simulation);

/// A way to this FFmpeg, under the names that its files have.
void leadToFfmpeg(Draft& draft, const PackageFacts& facts, const Simulation& simulation,
                  const providers::FfmpegInstall& install);

/// The dependencies that an FFmpeg of any machine would meet: those without a hash or an exact
/// version in their names. On macOS also others that Homebrew may bring to a package that is known
/// to need them.
struct LaterDependencies {
  std::vector<size_t> ffmpeg, others; ///< by index into the draft's override
};
LaterDependencies laterDependenciesOf(const Draft& draft, const PackageFacts& facts);

/// A way to where they will be found as soon as they are installed; on Windows they are delayed,
/// even if the entry is empty.
void leadToLaterInstall(Draft& draft, Platform platform, const LaterDependencies& dependencies,
                        const std::string& entry);

/// The same for those that are not found now, nor by literal entries out of reach. `bindings` show
/// what is. Returns whether something there may be found today.
bool leadToStandingPlace(Draft& draft, const Request& request, const PackageFacts& facts,
                         llvm::ArrayRef<resolve::Binding> bindings, const io::TargetDisk& disk);

/// What an ELF file needs on a machine that cannot be seen. RPATH, unless the library has the other
/// kind already: in an environment whose Python finds FFmpeg by its own RPATH (conda's does), a
/// RUNPATH here would switch that off. RPATH also reaches the dependencies of dependencies, which
/// PyAV's libraries need.
void finishUnseenElf(Draft& draft, bool mustReachFar);

/// A way to grafted libraries, siblings, and those of NVIDIA and Homebrew, where one is missing
/// even after the libraries of its group that are loaded before it. Returns how the group then
/// loads with nothing else loaded.
GroupLoads leadToOthers(llvm::MutableArrayRef<Draft> drafts, const Group& group,
                        const PackageFacts& facts, const Simulation& simulation);

/// A NEEDED libpython that nothing provides is dropped: the interpreter is in the process already.
void dropLibpython(Draft& draft, const PackageFacts& facts, const Simulation& simulation);

} // namespace tcfix::plan
