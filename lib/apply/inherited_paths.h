// Warnings about libraries that an edit of an ELF library would hide.
//
// A library with DT_RUNPATH ignores the DT_RPATH of the libraries that load it, and its own
// dependencies do not inherit its search paths (glibc; docs/loaders.md). A new DT_RUNPATH may
// therefore hide libraries that were found before. The libraries that load the edited one are
// searched in its own directory and in the directories beside it, which is the layout of wheels
// (a package and its NAME.libs). The simulated loader compares the results before and after.
#pragma once

#include "formats/formats.h"

#include <memory>

namespace tcfix::apply {

/// For one run of edits: caches what was read of neighbouring libraries. Thread-safe.
class InheritedPaths {
public:
  InheritedPaths();
  ~InheritedPaths();

  /// Sentences about libraries that would no longer be found after this edit. Empty for formats
  /// other than ELF, and if DT_RUNPATH is not new.
  std::vector<std::string> warningsFor(const std::string& path, Bytes bytes,
                                       const EditOutcome& edit);

private:
  class Surroundings;
  std::unique_ptr<Surroundings> here;      ///< for libraries of this machine
  std::unique_ptr<Surroundings> elsewhere; ///< for others: absolute paths are unknown
};

} // namespace tcfix::apply
