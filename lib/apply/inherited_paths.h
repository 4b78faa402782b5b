// What an edit of an ELF library takes away from the process that loads it.
//
// A library with DT_RUNPATH ignores the DT_RPATH of those that load it, and its own dependencies do
// not inherit what it searches (glibc; docs/loaders.md). So a new DT_RUNPATH may hide libraries
// that were found before. Who loads the library is looked up in its own directory and in those
// beside it, as wheels lay out packages and their NAME.libs; the simulated loader compares both
// states.
#pragma once

#include "formats/formats.h"

#include <memory>

namespace tcfix::apply {

/// For one run of edits: what was read of the neighbours is kept. Safe to use from several threads.
class InheritedPaths {
public:
  InheritedPaths();
  ~InheritedPaths();

  /// Sentences about libraries that would no longer be found after this edit of the file; none for
  /// other formats than ELF, and where DT_RUNPATH is not new.
  std::vector<std::string> warningsFor(const std::string& path, Bytes bytes,
                                       const EditOutcome& edit);

private:
  class Surroundings;
  std::unique_ptr<Surroundings> here;      ///< of libraries for this machine
  std::unique_ptr<Surroundings> elsewhere; ///< absolute paths are unknown
};

} // namespace tcfix::apply
