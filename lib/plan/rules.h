// The rules: each examines the facts and adds missing edits to a draft. One file per rule.
#pragma once

#include "plan/draft.h"

namespace tcfix::plan {

using survey::Group;
using survey::GroupLoads;
using survey::LibraryFacts;
using survey::PackageFacts;
using survey::Regime;
using survey::Simulation;

/// The user's options.
struct Request {
  std::vector<std::string> searchPaths; ///< literal entries for every library
  enum class Ffmpeg { Auto, Pyav, None } ffmpeg = Ffmpeg::Auto;
  /// Do not change what loads after the package's own Python code, or what would not improve.
  bool onlyWhatFails = false;
};

/// A dependency that does not resolve yet.
struct Unresolved {
  size_t dependency; ///< index into the draft's override
  std::string name;  ///< its last component
};

/// The dependencies that the library does not find by itself, including unknown ones.
std::vector<Unresolved> findUnresolved(const Draft& draft, const Simulation& simulation);

/// The user's own entries, before all others and without checking what they contain.
void addLiteralEntries(Draft& draft, const Request& request, const PackageFacts& facts,
                       const Simulation& simulation);

/// Whether every FFmpeg library that the library requires is found through those entries alone.
bool findsFfmpegByLiteralEntries(const Draft& draft, const Request& request,
                                 const Simulation& simulation);

/// Whether the directory of an entry can be examined on this machine.
bool isOnThisMachine(llvm::StringRef entry, const io::TargetDisk& disk);

/// Whether at least one of the library's dependencies is found through this entry.
bool findsAnyDependency(const std::string& entry, const Draft& draft, const Simulation& simulation);

/// Adds a search path to torch's libraries, if the library needs them. If the disk is unknown and
/// torch is not installed, a path to where it will be.
void addPathToTorch(Draft& draft, const PackageFacts& facts, const Simulation& simulation);

/// Adds a search path to this FFmpeg, and renames dependencies to its file names.
void addPathToFfmpeg(Draft& draft, const PackageFacts& facts, const Simulation& simulation,
                     const providers::FfmpegInstall& install);

/// The dependencies that any installed FFmpeg would satisfy: those without a hash or an exact
/// version in their names. On macOS also other libraries that Homebrew may provide, for packages
/// that are known to need them.
struct LaterDependencies {
  std::vector<size_t> ffmpeg, others; ///< by index into the draft's override
};
LaterDependencies laterDependenciesOf(const Draft& draft, const PackageFacts& facts);

/// Adds a search path to where they will be installed. On Windows they are delayed, even if the
/// entry is empty.
void addPathToLaterInstall(Draft& draft, Platform platform, const LaterDependencies& dependencies,
                           const std::string& entry);

/// The same for those that are not found now and that no literal entry to an unknown place may
/// provide. `bindings` show what is found. Returns whether something may be found there already.
bool addPathToStandingPlace(Draft& draft, const Request& request, const PackageFacts& facts,
                            llvm::ArrayRef<resolve::Binding> bindings, const io::TargetDisk& disk);

/// Completes the edits of an ELF file for an unknown machine. RPATH, unless the library already has
/// RUNPATH: in an environment whose Python finds FFmpeg by its own RPATH (such as conda's), a
/// RUNPATH here would disable that. RPATH also applies to the dependencies of dependencies, which
/// PyAV's libraries need.
void finishPortableElf(Draft& draft, bool mustBeInherited);

/// Search paths to grafted libraries, siblings, and libraries of NVIDIA and Homebrew, if one is
/// missing even after the libraries of the group that are loaded before it. Returns how the group
/// then loads with nothing else loaded.
GroupLoads addPathsToOthers(llvm::MutableArrayRef<Draft> drafts, const Group& group,
                            const PackageFacts& facts, const Simulation& simulation);

/// Drops a DT_NEEDED libpython that nothing provides: the interpreter is already in the process.
void dropLibpython(Draft& draft, const PackageFacts& facts, const Simulation& simulation);

} // namespace tcfix::plan
