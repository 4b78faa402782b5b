// The export trie: the names that a slice offers, as dyld looks them up.
//
// A node is a ULEB128 size and that many bytes about an export (none: no name ends here), the
// number of edges, and for each edge its text and the ULEB128 offset of the node it leads to; see
// dyld-1378, mach_o/ExportsTrie.cpp. LLVM's reader trusts the offsets, so tcfix has its own.
#pragma once

#include "base/bytes.h"

#include <optional>
#include <string>
#include <vector>

namespace tcfix::macho {

/// All names in the trie; nothing if it is damaged: an edge leads outside, or to a node twice.
std::optional<std::vector<std::string>> exportNames(Bytes trie);

/// What the trie says of one name.
struct TrieEntry {
  bool isReexport = false;
  uint64_t ordinal = 0;         ///< of the dependency that it comes from, counted from 1
  llvm::StringRef importedName; ///< how it is called there; empty: the same
};

/// Follows the edges of one name and reads nothing else; nothing where they end, or are damaged.
std::optional<TrieEntry> findExport(Bytes trie, llvm::StringRef name);

} // namespace tcfix::macho
