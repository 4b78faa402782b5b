// The identifier that codesign gives a file when nobody names one.
#pragma once

#include "macho/file.h"

namespace tcfix::codesign {

/// The base name without a final non-numeric extension and without numeric suffixes but the first
/// (libfoo.1.2.dylib: libfoo.1). If no dot remains, `-` and the hexadecimal of "UUID" and the
/// file's LC_UUID follow, so that two unsigned tools of one name differ.
std::string identifierFor(llvm::StringRef fileName, const macho::FileSlice& slice);

} // namespace tcfix::codesign
