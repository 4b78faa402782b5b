// Conversion: writes import settings into an image.
//
// Delayed dependencies move from the import table to the delay-import directory; their lookup
// tables, names and address slots stay where they are. Two sections are added at the end: `.tcfixt`
// with the helper that binds those slots (only if something is delayed) and `.tcfixd` with the
// record. The entry point, and the first TLS callback if there is one, then point to the helper.
//
// Not supported: delays on machines other than x86_64, executables, .NET, Control Flow Guard,
// headers without room for the sections.
#pragma once

#include "pe/imports.h"
#include "pe/record.h"

namespace tcfix::pe {

/// Writes `settings` into `image`, which is the original image with nothing after it. `image` grows
/// to the end of the new image. `file` and `imports` describe `image` as passed in.
llvm::Error convert(ByteOverlay& image, const PeFile& file, llvm::ArrayRef<Import> imports,
                    const ImportSettings& settings);

/// An error if imports of this image cannot be delayed.
llvm::Error canDelay(const PeFile& file);

} // namespace tcfix::pe
