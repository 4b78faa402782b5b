// Notes: small records about a file; only the build ID is used here.
#pragma once

#include "elf/model.h"

namespace tcfix::elf {

/// The build ID among the notes in [offset, offset + size) of the file.
std::optional<Bytes> findBuildId(const Model& model, uint64_t offset, uint64_t size);

} // namespace tcfix::elf
