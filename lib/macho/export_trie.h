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

/// Looks names up as dyld does, node by node. A lookup starts at the last node that the name shares
/// with the previous one, which makes sorted names (as in symbol tables) fast. Not thread-safe; the
/// names must outlive the finder.
class ExportFinder {
public:
  explicit ExportFinder(Bytes trie) : trie(trie) {}

  /// Nothing if the name is not found, or the trie is corrupt on the path to it.
  std::optional<TrieEntry> find(llvm::StringRef name);

private:
  TrieEntry entryAt(uint64_t at) const;

  /// A node, and how many characters of the name lead to it.
  struct Step {
    size_t length = 0;
    uint64_t node = 0;
  };

  Bytes trie;
  llvm::StringRef last;
  std::vector<Step> path = {{}}; ///< from the root
};

} // namespace tcfix::macho
