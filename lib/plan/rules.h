// The rules: each looks at the facts and adds to a draft what it finds missing. One file a rule.
#pragma once

#include "plan/simulation.h"

namespace tcfix::plan {

/// What the user asked for.
struct Request {
  std::vector<std::string> searchPaths; ///< literal entries for every library
  enum class Ffmpeg { Auto, Pyav, None } ffmpeg = Ffmpeg::Auto;
};

/// How a library's dependencies are met so far; one for each dependency that is not.
struct Unmet {
  size_t dependency; ///< index into the draft's look
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

/// Whether an entry alone would lead to any of the library's dependencies.
bool leadsSomewhere(const std::string& entry, const Draft& draft, const Simulation& simulation);

/// A way to torch's libraries, from each library that needs them.
void leadToTorch(Draft& draft, const PackageFacts& facts, const Simulation& simulation);

/// A way to this FFmpeg, under the names that its files have.
void leadToFfmpeg(Draft& draft, const PackageFacts& facts, const Simulation& simulation,
                  const providers::FfmpegInstall& install);

/// A way to grafted libraries, siblings, and those of NVIDIA and Homebrew, where one is missing
/// even after the libraries of its group that are loaded before it. Returns how the group then
/// loads with nothing else loaded.
GroupLoads leadToOthers(llvm::MutableArrayRef<Draft> drafts, const Group& group,
                        const PackageFacts& facts, const Simulation& simulation);

/// A NEEDED libpython that nothing provides is dropped: the interpreter is in the process already.
void dropLibpython(Draft& draft, const PackageFacts& facts, const Simulation& simulation);

} // namespace tcfix::plan
