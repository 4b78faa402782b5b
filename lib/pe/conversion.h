// Conversion: writes the wishes about an image into the image.
//
// Delayed dependencies leave the import table and enter the delay-import directory; their lookup
// tables, names and address slots stay where they are. Two sections are added at the end: `.tcfixt`
// with the helper that binds those slots (only if something is delayed) and `.tcfixd` with the
// record. The entry point, and the first TLS callback where there is one, then lead to the helper.
//
// Refuses: other machines than x86_64 (delays only), executables, .NET, Control Flow Guard, headers
// without room for the sections.
#pragma once

#include "pe/imports.h"
#include "pe/record.h"

namespace tcfix::pe {

/// Writes `wishes` into `draft`, which holds the original image and nothing after it. The draft
/// grows to the new image's end. `file` and `imports` are of the draft as given.
llvm::Error convert(Draft& draft, const PeFile& file, llvm::ArrayRef<Import> imports,
                    const Wishes& wishes);

/// Why an import of this image cannot be delayed, if it cannot.
llvm::Error canDelay(const PeFile& file);

} // namespace tcfix::pe
