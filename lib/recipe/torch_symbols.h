// torch's own symbols, by their names, and which versions of torch have them.
#pragma once

#include "base/version.h"

#include <llvm/ADT/ArrayRef.h>

namespace tcfix::recipe {

/// ELF does not say which library a symbol belongs to; torch's are known by their namespaces.
bool isTorchSymbol(llvm::StringRef symbol);

/// Which torch versions have all of these symbols, as far as a table says.
struct TorchSpan {
  Version since = {}, until = {};
  /// "torch has them since 2.11"; empty if nothing is known.
  std::string text() const;
};
TorchSpan torchSpanOf(llvm::ArrayRef<std::string> symbols);

} // namespace tcfix::recipe
