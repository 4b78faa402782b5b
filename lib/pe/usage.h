// Usage: what the code of an image does with the address slots of an import.
//
// The answers come from looking at bytes, not from disassembling: a pattern that happens to look
// like a reference counts as one, so the errors are on the safe side.
#pragma once

#include "pe/imports.h"

namespace tcfix::pe {

/// For each slot, whether some instruction calls or jumps through it; a slot of data never is.
/// Only for x86_64.
std::vector<bool> findCalledSlots(const PeFile& file, const Import& import, uint32_t count);

/// Whether anything in the image refers to a slot of the import. An error where that cannot be
/// told, as on arm64, where an address is spread over two instructions.
llvm::Expected<bool> isUsed(const PeFile& file, const Import& import);

} // namespace tcfix::pe
