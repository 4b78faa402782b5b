// A draft: one library as a plan wants it, in two forms that always agree: the edits, each with its
// reason, and the override that the simulated loader sees.
#pragma once

#include "plan/reason.h"
#include "survey/simulation.h"
#include "tcfix/image.h"

namespace tcfix::plan {

struct PlannedEdit {
  Edit edit;
  Reason reason;
};

class Draft {
public:
  /// `kind`, where there are two, is that of the search paths; nothing: the present one, or
  /// RUNPATH.
  Draft(const survey::PackageFacts& facts, const survey::LibraryFacts& library,
        std::optional<SearchPathKind> kind = std::nullopt);

  const survey::LibraryFacts& library() const { return *subject; }
  const resolve::LibraryOverride& wanted() const { return result; }
  const std::vector<PlannedEdit>& edits() const { return list; }

  /// The dependencies that are still there, by index into wanted().dependencies.
  std::vector<size_t> dependencies() const;

  void addSearchPath(const std::string& path, Reason reason);
  /// Of the search paths, where there are two kinds.
  void useKind(SearchPathKind wanted, Reason reason);
  void rename(size_t dependency, const std::string& name, Reason reason);
  void drop(size_t dependency, Reason reason);
  /// Windows: bound by the helper inside the DLL, from its list of search paths.
  void delay(size_t dependency);

private:
  void settleKind();

  const survey::LibraryFacts* subject;
  std::optional<SearchPathKind> kind; ///< of the list, as soon as there is one
  resolve::LibraryOverride result;
  std::vector<PlannedEdit> list;
};

/// The search path that leads from a library to a folder: relative to the library where both lie
/// in the environment, so that it can be moved, else the target's own path.
std::string searchPathTo(const survey::PackageFacts& facts, const survey::LibraryFacts& library,
                         const std::string& folder, const io::TargetDisk& disk);

/// The search path that leads from a library in one folder to another folder, both written from
/// the same place.
std::string relativeSearchPath(Platform platform, llvm::StringRef from, llvm::StringRef to);

/// What the simulated loader sees of drafts.
survey::Overrides overridesOf(llvm::ArrayRef<Draft> drafts);

} // namespace tcfix::plan
