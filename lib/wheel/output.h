// Writing the new wheel: what changed, and everything else as it was.
#pragma once

#include "commit/locks.h"
#include "wheel/contents.h"

#include <map>

namespace tcfix::wheel {

struct Changes {
  std::map<std::string, ByteVector> contents; ///< by the member's name
  /// New members, by name. They follow the first changed one, and get its time and attributes.
  std::map<std::string, ByteVector> additions;
};

/// Refuses what installers should: a wheel that says two versions, and members that are damaged or
/// that RECORD does not vouch for. A changed wheel would be a new release with the same faults.
llvm::Error checkRest(const Contents& wheel, const Changes& changes);

/// The file name of the wheel once it is changed.
WheelName repairedName(const Contents& wheel);

/// The directory for repaired wheels: made if it is not there and locked while this lives. One that
/// was made and stays empty is removed.
class OutputFolder {
public:
  OutputFolder(std::string path, io::Notify notify);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  /// Why nothing can be written there.
  llvm::Error check() const;
  /// Where a wheel of this name goes.
  llvm::Expected<io::Place> place(const std::string& name) const;

private:
  std::string path;
  std::shared_ptr<const io::Place::Made> made; ///< outlives the locks
  std::optional<Problem> problem;
  std::optional<commit::Locks> locks;
};

/// Writes the changed wheel to `place`, at once or not at all; false if just that wheel is there
/// already. Another file that is there may be protected: then it is a Conflict.
llvm::Expected<bool> writeWheel(const Contents& wheel, Changes changes, io::Place place,
                                bool isProtected);

} // namespace tcfix::wheel
