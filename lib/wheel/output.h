// Writes the new wheel: changed members, and copies of all others.
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

/// Rejects what installers should reject: a wheel with two different versions, and members that are
/// corrupt or do not match RECORD. Otherwise the repaired wheel would have the same defects.
llvm::Error checkRest(const Contents& wheel, const Changes& changes);

/// The file name of the repaired wheel.
WheelName repairedName(const Contents& wheel);

/// The directory for repaired wheels: created if it does not exist, and locked during the lifetime
/// of this object. If it was created and stays empty, it is removed.
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

/// Writes the changed wheel to `place` atomically; false if the identical file already exists. If
/// another file exists and is protected: Conflict.
llvm::Expected<bool> writeWheel(const Contents& wheel, Changes changes, io::Place place,
                                bool isProtected);

} // namespace tcfix::wheel
