// The hash table of the dynamic symbols: DT_GNU_HASH, or DT_HASH if there is no other.
#pragma once

#include "elf/model.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace tcfix::elf {

llvm::Error inconsistentHashTable();

/// A name's hash in DT_GNU_HASH.
uint32_t gnuHashOf(llvm::StringRef name);

/// Whether DT_HASH has 64-bit words: on two machines it does, contrary to the gABI.
bool hasWideHashWords(const Model& model);

class HashTable {
public:
  /// Without a table nothing is ever found, as in the loader.
  static llvm::Expected<HashTable> read(const Model& model);

  /// Calls `visit` with the index of each symbol whose hash is that of `name`, until it returns
  /// true. A chain that leaves the table ends there. `gnuHash` is the name's, or 0.
  void forEachCandidate(llvm::StringRef name, uint32_t gnuHash,
                        llvm::function_ref<bool(uint64_t symbol)> visit) const;

  /// Undefined symbols have indexes below this one; empty if the table does not contain it.
  std::optional<uint64_t> firstDefined() const;

private:
  bool mayContain(uint32_t hash) const;

  Flavor flavor;
  bool isGnu = false;
  uint64_t firstSymbol = 0; ///< GNU: the symbol of the first chain entry
  uint64_t entrySize = 4;
  uint32_t bloomShift = 0;
  Bytes bloom;
  Bytes buckets;
  Bytes chains; ///< GNU: all bytes up to the segment's end
};

} // namespace tcfix::elf
