// Symbols of an ELF file, looked up as glibc does (elf/dl-lookup.c, elf/dl-version.c).
#pragma once

#include "base/bytes.h"
#include "image/symbol_table.h"

#include <memory>

namespace tcfix::elf {

/// `bytes` must outlive the table.
llvm::Expected<std::unique_ptr<SymbolTable>> openSymbols(Bytes bytes);

} // namespace tcfix::elf
