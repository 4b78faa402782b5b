// Describes a Mach-O slice with the types of lib/image. The signature is verified in lib/codesign,
// since that reads every page of the file.
#pragma once

#include "macho/file.h"
#include "tcfix/image.h"

namespace tcfix::macho {

/// Everything except signature and symbols.
Slice describe(const FileSlice& slice);

/// Adds imports, with the dependency that the two-level namespace binds each to, and exports.
void addSymbols(Bytes sliceBytes, const FileSlice& slice, Slice& description);

/// "11.0" or "11.0.1", from the packed form in LC_BUILD_VERSION.
std::string versionText(uint32_t packed);

} // namespace tcfix::macho
