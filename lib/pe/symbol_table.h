// Symbols of a PE image, looked up as Windows does: by binary search in the table of export names.
#pragma once

#include "base/bytes.h"
#include "image/symbol_table.h"

#include <memory>

namespace tcfix::pe {

/// `bytes` must outlive the table.
llvm::Expected<std::unique_ptr<SymbolTable>> openSymbols(Bytes bytes);

} // namespace tcfix::pe
