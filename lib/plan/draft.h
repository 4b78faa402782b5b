// A draft: the planned state of one library, in two forms that always agree: the edits, each with
// its reason, and the override for the simulated loader.
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
  /// `kind` is the kind of search paths, for formats that have two; nothing: the current one, or
  /// RUNPATH.
  Draft(const survey::PackageFacts& facts, const survey::LibraryFacts& library,
        std::optional<SearchPathKind> kind = std::nullopt);

  const survey::LibraryFacts& library() const { return *subject; }
  const resolve::LibraryOverride& wanted() const { return result; }
  const std::vector<PlannedEdit>& edits() const { return list; }

  /// The dependencies that are not dropped, as indexes into wanted().dependencies.
  std::vector<size_t> dependencies() const;

  void addSearchPath(const std::string& path, Reason reason);
  /// Sets the kind of the search paths, for formats that have two.
  void useKind(SearchPathKind wanted, Reason reason);
  void rename(size_t dependency, const std::string& name, Reason reason);
  void drop(size_t dependency, Reason reason);
  /// Windows: lets the helper inside the DLL load it, using the embedded search list.
  void delay(size_t dependency);

private:
  void settleKind();

  const survey::LibraryFacts* subject;
  std::optional<SearchPathKind> kind; ///< of the search paths, once there are any
  resolve::LibraryOverride result;
  std::vector<PlannedEdit> list;
};

/// The search path from a library to a directory: relative to the library if both are in the
/// environment, so that it can be moved, otherwise the target path.
std::string searchPathTo(const survey::PackageFacts& facts, const survey::LibraryFacts& library,
                         const std::string& folder, const io::TargetDisk& disk);

/// The search path from a library in one directory to another directory; both are relative to the
/// same directory.
std::string relativeSearchPath(Platform platform, llvm::StringRef from, llvm::StringRef to);

/// The drafts as overrides for the simulated loader.
survey::Overrides overridesOf(llvm::ArrayRef<Draft> drafts);

} // namespace tcfix::plan
