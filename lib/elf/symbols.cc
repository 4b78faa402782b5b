// The number of dynamic symbols in a file. The loader's tables do not contain it: it comes from the
// section header or, without one, from a hash table.
#include "elf/hash_table.h"

#include <algorithm>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

/// DT_HASH: {buckets, chains, …}; there is one chain entry for each symbol.
llvm::Expected<uint64_t> countByHash(const Model& model, uint64_t address) {
  bool isWide = hasWideHashWords(model);
  uint64_t word = isWide ? 8 : 4;
  std::optional<Bytes> start = model.readAt(address, 2 * word);
  if (!start)
    return inconsistentHashTable();
  auto read = [&](const uint8_t* bytes) {
    return isWide ? model.flavor.read64(bytes) : model.flavor.read32(bytes);
  };
  uint64_t buckets = read(start->data()), chains = read(start->data() + word);
  uint64_t most = model.source->size() / word;
  if (buckets > most || chains > most || !model.offsetOf(address, (2 + buckets + chains) * word))
    return inconsistentHashTable();
  return chains;
}

/// DT_GNU_HASH: {buckets, first symbol, bloom words, shift}, bloom filter, buckets, chains. The
/// last symbol is the one whose chain ends last. An empty table gives no number: GNU ld writes 1 as
/// the first symbol, whatever the number of undefined ones.
llvm::Expected<std::optional<uint64_t>> countByGnuHash(const Model& model, uint64_t address) {
  std::optional<Bytes> start = model.readAt(address, 16);
  if (!start)
    return inconsistentHashTable();
  auto read = [&](const uint8_t* bytes) { return model.flavor.read32(bytes); };
  uint64_t count = read(start->data()), first = read(start->data() + 4);
  uint64_t bucketsAt = 16 + read(start->data() + 8) * model.flavor.wordSize();
  std::optional<Bytes> buckets = model.readAt(address + bucketsAt, count * 4);
  if (!buckets)
    return inconsistentHashTable();
  uint64_t last = 0;
  for (uint64_t i = 0; i < count; ++i)
    last = std::max<uint64_t>(last, read(buckets->data() + i * 4));
  if (last == 0)
    return std::nullopt;
  if (last < first)
    return inconsistentHashTable();
  uint64_t chainsAt = address + bucketsAt + count * 4;
  for (;; ++last) {
    std::optional<Bytes> link = model.readAt(chainsAt + (last - first) * 4, 4);
    if (!link)
      return inconsistentHashTable();
    if (read(link->data()) & 1)
      return last + 1;
  }
}

} // namespace

llvm::Expected<std::optional<uint64_t>> countSymbols(const Model& model) {
  std::optional<uint64_t> symbols = model.find(DT_SYMTAB);
  if (!symbols)
    return uint64_t(0);
  if (std::optional<size_t> section = model.findSection(SHT_DYNSYM, *symbols))
    return model.sections[*section].size / symbolSize(model.flavor);
  if (std::optional<uint64_t> hash = model.find(DT_HASH)) {
    llvm::Expected<uint64_t> count = countByHash(model, *hash);
    if (!count)
      return count.takeError();
    return *count;
  }
  if (std::optional<uint64_t> hash = model.find(DT_GNU_HASH))
    return countByGnuHash(model, *hash);
  return std::nullopt;
}

llvm::Expected<Bytes> symbolBytes(const Model& model) {
  llvm::Expected<std::optional<uint64_t>> count = countSymbols(model);
  if (!count)
    return count.takeError();
  if (count->value_or(0) == 0)
    return Bytes();
  uint64_t size = symbolSize(model.flavor);
  std::optional<Bytes> table;
  if (**count <= model.source->size() / size)
    table = model.readAt(*model.find(DT_SYMTAB), **count * size);
  if (model.find(DT_SYMENT).value_or(size) != size || !table)
    return malformed("the dynamic symbol table is too small for its " + std::to_string(**count) +
                     " symbols");
  uint64_t namesEnd = model.strings ? model.strings->bytes.size() : 0;
  bool areInside = true;
  forEachSymbol(model.flavor, *table,
                [&](size_t, const Symbol& symbol) { areInside &= symbol.name < namesEnd; });
  if (!areInside)
    return malformed("a symbol's name is past the end of the dynamic string table");
  return *table;
}

} // namespace tcfix::elf
