// What a Mach-O file says of itself, in the words of lib/image. The signature is judged elsewhere
// (lib/codesign), since that needs every page of the file.
#pragma once

#include "macho/file.h"
#include "tcfix/image.h"

namespace tcfix::macho {

/// Everything but signature and symbols.
Slice describe(const FileSlice& slice);

/// Adds imports, with the dependency that the two-level namespace binds each to, and exports.
void addSymbols(Bytes sliceBytes, const FileSlice& slice, Slice& description);

/// "11.0" or "11.0.1", as LC_BUILD_VERSION packs it.
std::string versionText(uint32_t packed);

} // namespace tcfix::macho
