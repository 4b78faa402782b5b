// The symbol tables of a slice, bounds-checked: LC_SYMTAB and the export trie.
#pragma once

#include "macho/file.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace tcfix::macho {

/// An entry of the symbol table, of either word size, in host byte order.
struct SymbolEntry {
  uint8_t type = 0;
  uint16_t description = 0;
  llvm::StringRef strings; ///< the string table from its name on

  llvm::StringRef name() const { return strings.take_front(strings.find('\0')); }
  bool isUndefined() const { return (type & llvm::MachO::N_TYPE) == llvm::MachO::N_UNDF; }
};

struct SymbolTables {
  using Visit = llvm::function_ref<void(const SymbolEntry&)>;

  bool is64 = true;
  bool isLittleEndian = true;
  Bytes entries;
  llvm::StringRef strings;
  uint64_t firstUndefined = 0; ///< from LC_DYSYMTAB; without it, they can be anywhere
  uint64_t undefinedCount = 0;
  Bytes trie;

  /// The symbols visible to other images; private and debugging ones are left out.
  void forEachPublic(Visit visit) const { forEach(0, UINT64_MAX, visit); }
  void forEachUndefined(Visit visit) const;

private:
  void forEach(uint64_t first, uint64_t count, Visit visit) const;
};

/// A table that is out of bounds is left empty; read() rejects such files anyway.
SymbolTables symbolTablesOf(Bytes sliceBytes, const FileSlice& slice);

} // namespace tcfix::macho
