// A draft: one library as a plan wants it, in two voices that never disagree: the edits, each with
// its reason, and the look that the simulated loader shall see.
#pragma once

#include "plan/facts.h"
#include "tcfix/image.h"

namespace tcfix::plan {

struct Wish {
  Edit edit;
  std::string reason;
};

class Draft {
public:
  /// `kind`, where there are two, is that of the search paths; nothing: the present one, or
  /// RUNPATH.
  Draft(const PackageFacts& facts, const LibraryFacts& library,
        std::optional<SearchPathKind> kind = std::nullopt);

  const LibraryFacts& library() const { return *subject; }
  const resolve::Disguise& look() const { return appearance; }
  const std::vector<Wish>& wishes() const { return list; }

  /// The dependencies that are still there, by index into look().dependencies.
  std::vector<size_t> dependencies() const;

  void addSearchPath(const std::string& path, const std::string& reason);
  void rename(size_t dependency, const std::string& name, const std::string& reason);
  void drop(size_t dependency, const std::string& reason);
  /// Windows: bound by the helper inside the DLL, from its list of search paths.
  void delay(size_t dependency, const std::string& reason);

private:
  void settleKind();

  const LibraryFacts* subject;
  std::optional<SearchPathKind> kind; ///< of the list, as soon as there is one
  resolve::Disguise appearance;
  std::vector<Wish> list;
};

/// The search path that leads from a library to a folder: relative to the library where both lie
/// in the environment, so that it can be moved, else the target's own path.
std::string searchPathTo(const PackageFacts& facts, const LibraryFacts& library,
                         const std::string& folder, const io::TargetDisk& disk);

/// The search path that leads from a library in one folder to another folder, both written from
/// the same place.
std::string relativeSearchPath(Format platform, llvm::StringRef from, llvm::StringRef to);

} // namespace tcfix::plan
