// The identifier that codesign gives a file by default.
#pragma once

#include "macho/file.h"

namespace tcfix::codesign {

/// The base name without a final non-numeric extension and with at most one numeric suffix
/// (libfoo.1.2.dylib: libfoo.1). If no dot remains, `-` and the hexadecimal form of "UUID" and the
/// file's LC_UUID follow, so that two unsigned tools with the same name differ.
std::string identifierFor(llvm::StringRef fileName, const macho::FileSlice& slice);

} // namespace tcfix::codesign
