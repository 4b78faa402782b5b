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

/// Where the trie holds the ordinals of re-exported names; nothing if it is damaged.
std::optional<std::vector<uint64_t>> reexportOrdinals(Bytes trie);

/// What the trie says of one name.
struct TrieEntry {
  bool isReexport = false;
  uint64_t ordinal = 0;         ///< of the dependency that it comes from, counted from 1
  llvm::StringRef importedName; ///< how it is called there; empty: the same
};

/// Looks names up as dyld does, node by node. Of names in alphabetical order, which is how symbol
/// tables have them, each begins where it parts from the one before. One thread at a time; the
/// names must outlive it.
class ExportFinder {
public:
  explicit ExportFinder(Bytes trie) : trie(trie) {}

  /// Nothing if there is no such name, or the trie is damaged on the way to it.
  std::optional<TrieEntry> find(llvm::StringRef name);

private:
  TrieEntry entryAt(uint64_t at) const;

  /// A node, and how many letters of the name lead to it.
  struct Place {
    size_t length = 0;
    uint64_t node = 0;
  };

  Bytes trie;
  llvm::StringRef last;
  std::vector<Place> way = {{}}; ///< from the root
};

} // namespace tcfix::macho
