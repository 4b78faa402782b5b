// Which symbols a DLL wants that the DLLs it would find do not offer.
#pragma once

#include "io/file.h"
#include "tcfix/image.h"

namespace tcfix::resolve {

/// A library that was found for a dependency and lacks symbols that are wanted of it.
struct MissingSymbols {
  std::string dependency;
  std::string provider; ///< its path
  std::vector<std::string> symbols;
};

/// Looks at the providers that lie beside the file or in the folders of its search list that begin
/// with its own. A provider that is not there, or cannot be read, says nothing.
std::vector<MissingSymbols> findMissingSymbols(const io::InputFile& file, const Image& image);

} // namespace tcfix::resolve
