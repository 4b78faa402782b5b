// Page hashes, computed on all cores if there are many pages.
#pragma once

#include "codesign/blob.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace tcfix::codesign {

/// The number of pages of `pageSize` bytes (0: one page) in `size` bytes.
uint64_t pageCount(uint64_t size, uint64_t pageSize);

/// Returns the bytes of one page, using the scratch buffer if they have to be built.
using PageReader = llvm::function_ref<Bytes(uint64_t offset, uint64_t length, ByteVector& scratch)>;

/// Hashes pages [0, pageCount(size, pageSize)) and calls `take(page, digest)` for each, in any
/// order and on several threads. Stops early when the user interrupts the program; callers check
/// for that before they use the result.
void hashPages(io::DigestKind kind, uint64_t size, uint64_t pageSize, PageReader readPage,
               llvm::function_ref<void(uint64_t page, const io::Digest& digest)> take);

} // namespace tcfix::codesign
