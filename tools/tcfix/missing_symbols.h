// Which symbols a DLL wants that the DLLs it would find do not offer.
#pragma once

#include "io/file.h"
#include "report/json.h"

namespace tcfix::cli {

/// Looks at the providers that lie beside the file or in the folders of its search list that begin
/// with its own. A provider that is not there, or cannot be read, says nothing.
std::vector<report::MissingSymbols> findMissingSymbols(const io::InputFile& file,
                                                       const Image& image);

} // namespace tcfix::cli
