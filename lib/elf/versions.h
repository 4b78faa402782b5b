// Symbol versions: DT_VERNEED (what is asked of which library) and DT_VERDEF (what is offered).
//
// Both are chains of records, linked by relative offsets. glibc follows the links and trusts them;
// here a chain that leaves its segment, folds back or has not the promised length is Malformed.
#pragma once

#include "elf/model.h"

namespace tcfix::elf {

/// One version that symbols of this file are bound to.
struct NeededVersion {
  uint64_t name = 0;  ///< offset into the string table
  uint16_t index = 0; ///< what DT_VERSYM says for its symbols
};

/// The versions that this file needs of one library. ld.so aborts if the library's name is not
/// among those that are loaded, so that the name must follow DT_NEEDED.
struct NeededFile {
  uint64_t nameField = 0; ///< where in the file the name's offset stands (vn_file)
  uint64_t name = 0;      ///< offset into the string table
  std::vector<NeededVersion> versions;
};

llvm::Expected<std::vector<NeededFile>> readNeededVersions(const Model& model);

/// The string table offsets of all names of versions that this file defines.
llvm::Expected<std::vector<uint64_t>> readDefinedVersions(const Model& model);

} // namespace tcfix::elf
