// Library ordinals: the numbers, counted from 1 in the order of the load commands, by which a slice
// names the dependency that each imported symbol comes from.
//
// All tables that hold them are known: the symbol table (n_desc), the binding opcodes of
// LC_DYLD_INFO, the imports of LC_DYLD_CHAINED_FIXUPS, and re-exports in the export trie; see
// <mach-o/loader.h>, <mach-o/fixup-chains.h> and dyld-1378, mach_o/BindOpcodes.cpp. So the load
// command of a dependency can be removed if later ordinals are decremented.
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
/// greater, so that it fits in the same bytes. Nothing if a table is corrupt or has an ordinal
/// without a dependency. Tables do not overlap: read() refuses such a file.
std::optional<std::vector<Replacement>> renumberOrdinals(Bytes sliceBytes, const FileSlice& slice,
                                                         llvm::ArrayRef<uint64_t> renumbered);

} // namespace tcfix::macho
