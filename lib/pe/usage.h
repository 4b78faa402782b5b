// How the code of an image uses the address slots of an import.
//
// The code is scanned, not disassembled: bytes that happen to look like a reference count as one,
// so errors are on the safe side.
#pragma once

#include "pe/imports.h"

namespace tcfix::pe {

/// For each slot, whether an instruction calls or jumps through it, which is never the case for
/// data. Only for x86_64.
std::vector<bool> findCalledSlots(const PeFile& file, const Import& import, uint32_t count);

/// Whether anything in the image refers to a slot of the import. An error if that cannot be
/// determined, as on arm64, where an address is split over two instructions.
llvm::Expected<bool> isUsed(const PeFile& file, const Import& import);

} // namespace tcfix::pe
