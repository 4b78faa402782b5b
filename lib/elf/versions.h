// Symbol versions: DT_VERNEED (required of each library) and DT_VERDEF (defined).
//
// Both are chains of records, linked by relative offsets. glibc does not check the links; here a
// chain that leaves its segment, overlaps itself or does not have the stated length is Malformed.
#pragma once

#include "elf/model.h"

namespace tcfix::elf {

/// One version that symbols of this file are bound to.
struct VersionNeed {
  uint64_t name = 0;  ///< offset into the string table
  uint16_t index = 0; ///< the value in DT_VERSYM for its symbols
  uint16_t flags = 0; ///< VER_FLG_…
};

/// The versions that this file requires of one library. ld.so aborts if no loaded library has this
/// name, so it must be renamed together with DT_NEEDED.
struct NeededFile {
  uint64_t nameField = 0; ///< file offset of the field vn_file
  uint64_t name = 0;      ///< offset into the string table
  std::vector<VersionNeed> versions;
};

llvm::Expected<std::vector<NeededFile>> readNeededVersions(const Model& model);

/// One version that this file defines.
struct DefinedVersion {
  uint16_t index = 0;
  uint16_t flags = 0;          ///< VER_FLG_BASE: the file's own name, not a version
  std::vector<uint64_t> names; ///< offsets into the string table: its own, then those it inherits
};

llvm::Expected<std::vector<DefinedVersion>> readDefinedVersions(const Model& model);

} // namespace tcfix::elf
