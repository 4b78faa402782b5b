// Finds symbols that a DLL imports and that the DLLs it would load do not export.
#pragma once

#include "io/file.h"
#include "tcfix/image.h"

namespace tcfix::resolve {

/// A library that was found for a dependency, but lacks symbols.
struct MissingSymbols {
  std::string dependency;
  std::string provider; ///< its path
  std::vector<std::string> symbols;
};

/// Checks the providers in the file's own folder and in folders of its search list relative to it.
/// Providers that are missing or cannot be read are ignored.
std::vector<MissingSymbols> findMissingSymbols(const io::InputFile& file, const Image& image);

} // namespace tcfix::resolve
