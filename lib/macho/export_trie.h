// The export trie: the names that a slice exports, as dyld looks them up.
//
// A node is a ULEB128 size and that many bytes about an export (none: no name ends here), the
// number of edges, and for each edge its string and the ULEB128 offset of its target node; see
// dyld-1378, mach_o/ExportsTrie.cpp. LLVM's reader does not check the offsets, so tcfix has its
// own.
#pragma once

#include "base/bytes.h"

#include <optional>
#include <string>
#include <vector>

namespace tcfix::macho {

/// All names in the trie; nothing if it is corrupt: an edge leads out of bounds, or two edges lead
/// to the same node.
std::optional<std::vector<std::string>> exportNames(Bytes trie);

/// The offsets of the ordinals of re-exported names in the trie; nothing if it is corrupt.
std::optional<std::vector<uint64_t>> reexportOrdinals(Bytes trie);

/// The trie's entry for one name.
struct TrieEntry {
  bool isReexport = false;
  uint64_t ordinal = 0;         ///< of the dependency that defines it, counted from 1
  llvm::StringRef importedName; ///< its name there; empty: the same
};

/// Looks names up as dyld does, from node to node: those of a library all at once, so that each
/// node is read once. Nothing for a name that is not found, or if the trie is corrupt on the path
/// to it.
std::vector<std::optional<TrieEntry>> findExports(Bytes trie,
                                                  llvm::ArrayRef<llvm::StringRef> names);

} // namespace tcfix::macho
