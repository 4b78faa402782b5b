// The hash tables of the dynamic symbols: DT_GNU_HASH, or DT_HASH where there is no other.
#pragma once

#include "elf/model.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace tcfix::elf {

llvm::Error inconsistentHashTable();

/// A name's hash in DT_GNU_HASH.
uint32_t gnuHashOf(llvm::StringRef name);

/// Whether DT_HASH has 64-bit words, against the gABI: two machines do.
bool hasWideHashWords(const Model& model);

class HashTable {
public:
  /// Without a table nothing is ever found, as for the loader.
  static llvm::Expected<HashTable> read(const Model& model);

  /// Calls `visit` with the index of each symbol whose hash is that of `name`, until it returns
  /// true. A chain that leaves the table ends there. `gnuHash` is the name's, or 0.
  void forEachCandidate(llvm::StringRef name, uint32_t gnuHash,
                        llvm::function_ref<bool(uint64_t symbol)> visit) const;

  /// Undefined symbols have indexes below this one; nothing where the table does not say.
  std::optional<uint64_t> firstDefined() const;

private:
  bool mayHold(uint32_t hash) const;

  Flavor flavor;
  bool isGnu = false;
  uint64_t firstSymbol = 0; ///< GNU: the one that the first chain entry is of
  uint64_t entrySize = 4;
  uint32_t bloomShift = 0;
  Bytes bloom;
  Bytes buckets;
  Bytes chains; ///< GNU: all bytes up to the segment's end
};

} // namespace tcfix::elf
