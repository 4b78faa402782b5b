// Symbol versions: DT_VERNEED (what is asked of which library) and DT_VERDEF (what is offered).
//
// Both are chains of records, linked by relative offsets. glibc follows the links and trusts them;
// here a chain that leaves its segment, folds back or has not the promised length is Malformed.
#pragma once

#include "elf/model.h"

namespace tcfix::elf {

/// One version that symbols of this file are bound to.
struct VersionNeed {
  uint64_t name = 0;  ///< offset into the string table
  uint16_t index = 0; ///< what DT_VERSYM says for its symbols
  uint16_t flags = 0; ///< VER_FLG_…
};

/// The versions that this file needs of one library. ld.so aborts if the library's name is not
/// among those that are loaded, so that the name must follow DT_NEEDED.
struct NeededFile {
  uint64_t nameField = 0; ///< where in the file the name's offset stands (vn_file)
  uint64_t name = 0;      ///< offset into the string table
  std::vector<VersionNeed> versions;
};

llvm::Expected<std::vector<NeededFile>> readNeededVersions(const Model& model);

/// One version that this file defines.
struct DefinedVersion {
  uint16_t index = 0;
  uint16_t flags = 0;          ///< VER_FLG_BASE: the file's own name, no version
  std::vector<uint64_t> names; ///< offsets into the string table: its own, then those it inherits
};

llvm::Expected<std::vector<DefinedVersion>> readDefinedVersions(const Model& model);

} // namespace tcfix::elf
