// Base relocations: the places that hold absolute addresses.
#pragma once

#include "pe/file.h"

namespace tcfix::pe {

/// Calls `visit(rva, type)` for every base relocation; false when a block is malformed.
bool forEachRelocation(const PeFile& file, llvm::function_ref<void(uint64_t, unsigned)> visit);

} // namespace tcfix::pe
