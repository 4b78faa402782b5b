#include "elf/hash_table.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

uint32_t sysvHash(llvm::StringRef name) {
  uint32_t hash = 0;
  for (char character : name) {
    hash = (hash << 4) + static_cast<uint8_t>(character);
    hash = (hash ^ ((hash >> 24) & 0xf0)) & 0x0fffffff;
  }
  return hash;
}

} // namespace

llvm::Error inconsistentHashTable() {
  return malformed("the symbol hash table is inconsistent");
}

uint32_t gnuHashOf(llvm::StringRef name) {
  uint32_t hash = 5381;
  for (char character : name)
    hash = hash * 33 + static_cast<uint8_t>(character);
  return hash;
}

bool hasWideHashWords(const Model& model) {
  return model.flavor.is64 && (model.header.machine == EM_ALPHA || model.header.machine == EM_S390);
}

llvm::Expected<HashTable> HashTable::read(const Model& model) {
  HashTable table;
  table.flavor = model.flavor;
  auto number = [&](Bytes bytes, uint64_t at) { return model.flavor.read32(bytes.data() + at); };
  if (std::optional<uint64_t> address = model.find(DT_GNU_HASH)) {
    Bytes rest = model.readFrom(*address);
    if (rest.size() < 16)
      return inconsistentHashTable();
    table.isGnu = true;
    table.firstSymbol = number(rest, 4);
    table.bloomShift = number(rest, 12);
    uint64_t bloomSize = uint64_t(number(rest, 8)) * model.flavor.wordSize();
    uint64_t bucketsSize = uint64_t(number(rest, 0)) * 4;
    std::optional<Bytes> bloom = part(rest, 16, bloomSize);
    std::optional<Bytes> buckets = part(rest, 16 + bloomSize, bucketsSize);
    if (!bloom || !buckets)
      return inconsistentHashTable();
    table.bloom = *bloom;
    table.buckets = *buckets;
    table.chains = rest.drop_front(16 + bloomSize + bucketsSize);
  } else if (std::optional<uint64_t> oldAddress = model.find(DT_HASH)) {
    bool isWide = hasWideHashWords(model);
    table.entrySize = isWide ? 8 : 4;
    // The position of a 64-bit count's lower half depends on the byte order.
    uint64_t lowHalf = isWide && !model.flavor.isLittle ? 4 : 0;
    Bytes rest = model.readFrom(*oldAddress);
    if (rest.size() < 2 * table.entrySize)
      return inconsistentHashTable();
    uint64_t bucketsSize = number(rest, lowHalf) * table.entrySize;
    uint64_t chainsSize = number(rest, table.entrySize + lowHalf) * table.entrySize;
    std::optional<Bytes> buckets = part(rest, 2 * table.entrySize, bucketsSize);
    std::optional<Bytes> chains = part(rest, 2 * table.entrySize + bucketsSize, chainsSize);
    if (!buckets || !chains)
      return inconsistentHashTable();
    table.buckets = *buckets;
    table.chains = *chains;
  }
  return table;
}

bool HashTable::mayContain(uint32_t hash) const {
  uint64_t word = flavor.wordSize(), bits = word * 8;
  if (bloom.empty())
    return true;
  const uint8_t* at = bloom.data() + (hash / bits) % (bloom.size() / word) * word;
  uint64_t mask = flavor.is64 ? flavor.read64(at) : flavor.read32(at);
  uint64_t second = bloomShift < 32 ? hash >> bloomShift : 0;
  return (mask >> (hash % bits)) & (mask >> (second % bits)) & 1;
}

void HashTable::forEachCandidate(llvm::StringRef name, uint32_t gnuHash,
                                 llvm::function_ref<bool(uint64_t symbol)> visit) const {
  if (buckets.empty())
    return;
  auto entry = [&](Bytes table, uint64_t index) -> std::optional<uint64_t> {
    std::optional<Bytes> bytes = part(table, index * entrySize, entrySize);
    if (!bytes)
      return std::nullopt;
    return entrySize == 8 ? flavor.read64(bytes->data()) : flavor.read32(bytes->data());
  };
  if (!isGnu) {
    uint64_t index = *entry(buckets, sysvHash(name) % (buckets.size() / entrySize));
    // The number of symbols bounds the length of a chain; this stops cycles.
    for (uint64_t left = chains.size() / entrySize; index != STN_UNDEF && left > 0; --left) {
      std::optional<uint64_t> next = entry(chains, index);
      if (!next || visit(index))
        return;
      index = *next;
    }
    return;
  }
  const uint32_t hash = gnuHash ? gnuHash : gnuHashOf(name);
  if (!mayContain(hash))
    return;
  uint64_t index = *entry(buckets, hash % (buckets.size() / 4));
  if (index < firstSymbol)
    return;
  for (;; ++index) {
    std::optional<uint64_t> link = entry(chains, index - firstSymbol);
    if (!link || (((*link ^ hash) >> 1) == 0 && visit(index)) || (*link & 1))
      return;
  }
}

std::optional<uint64_t> HashTable::firstDefined() const {
  // If nothing is defined, GNU ld writes 1, whatever the number of undefined symbols.
  bool isEmpty = llvm::all_of(buckets, [](uint8_t byte) { return byte == 0; });
  return isGnu && !isEmpty ? std::optional<uint64_t>(firstSymbol) : std::nullopt;
}

} // namespace tcfix::elf
