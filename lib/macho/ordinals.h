// Library ordinals: the numbers, counted from 1 in the order of the load commands, by which a slice
// names the dependency that each imported symbol comes from.
//
// Every table that holds them is known: the symbol table (n_desc), the binding opcodes of
// LC_DYLD_INFO, the imports of LC_DYLD_CHAINED_FIXUPS, and re-exported names in the export trie;
// see <mach-o/loader.h>, <mach-o/fixup-chains.h> and dyld-1378, mach_o/BindOpcodes.cpp. So a load
// command of a dependency can be removed if the numbers of those behind it follow.
#pragma once

#include "macho/file.h"

namespace tcfix::macho {

/// New content of the same length at an offset of a slice.
struct Replacement {
  uint64_t offset = 0;
  ByteVector bytes;
  std::string reason;
};

/// The tables of the slice with ordinal i replaced by `renumbered[i - 1]`, which must not be
/// greater: a smaller number fits where the old one stands. Nothing if a table is damaged or refers
/// to a dependency that is not there. Tables do not overlap: read() refuses such a file.
std::optional<std::vector<Replacement>> renumberOrdinals(Bytes sliceBytes, const FileSlice& slice,
                                                         llvm::ArrayRef<uint64_t> renumbered);

} // namespace tcfix::macho
