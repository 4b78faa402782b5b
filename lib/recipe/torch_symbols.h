// torch's own symbols, recognized by name, and which versions of torch have them.
#pragma once

#include "base/version.h"

#include <llvm/ADT/ArrayRef.h>

namespace tcfix::recipe {

/// ELF does not record which library a symbol belongs to; torch's are recognized by namespace.
bool isTorchSymbol(llvm::StringRef symbol);

/// Which torch versions have all of these symbols, according to a table.
struct TorchSpan {
  Version since = {}, until = {};
  /// "in torch since 2.11"; empty if nothing is known.
  std::string text() const;
};
TorchSpan torchSpanOf(llvm::ArrayRef<std::string> symbols);

} // namespace tcfix::recipe
