// Symbols of a slice, looked up as dyld does: imports by the ordinals of the two-level namespace,
// exports in the export trie.
#pragma once

#include "image/symbol_table.h"
#include "macho/file.h"

#include <memory>

namespace tcfix::macho {

/// `sliceBytes` must outlive the table; `slice` need not.
std::unique_ptr<SymbolTable> openSymbols(Bytes sliceBytes, const FileSlice& slice);

} // namespace tcfix::macho
