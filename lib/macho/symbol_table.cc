#include "macho/symbol_table.h"

#include "macho/export_trie.h"
#include "macho/symbols.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <numeric>

namespace tcfix::macho {

using namespace llvm::MachO;

namespace {

class MachOSymbols : public SymbolTable {
public:
  MachOSymbols(Bytes sliceBytes, const FileSlice& slice)
      : tables(symbolTablesOf(sliceBytes, slice)), isTwoLevel((slice.flags & MH_TWOLEVEL) != 0) {
    for (const LoadCommand& command : slice.commands)
      dependencyCount += isDependency(command.kind);
    // Only for files older than the trie (Mac OS X 10.6) and files that export nothing.
    if (tables.trie.empty())
      tables.forEachPublic([&](const SymbolEntry& entry) {
        if (!entry.isUndefined())
          listed.push_back(entry.name());
      });
    std::sort(listed.begin(), listed.end());
  }

  llvm::Expected<std::vector<NeededSymbol>> needed() const override {
    // Counted first, so that each symbol is written once, to its place.
    std::vector<size_t> next(2 * (dependencyCount + 1) + 1);
    tables.forEachUndefined([&](const SymbolEntry& entry) { ++next[placeOf(entry) + 1]; });
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<NeededSymbol> result(next.back());
    tables.forEachUndefined([&](const SymbolEntry& entry) {
      const size_t place = next[placeOf(entry)]++;
      if (place >= result.size())
        return; // another program is writing the file
      NeededSymbol& wanted = result[place];
      wanted.name = entry.name();
      wanted.isOptional = isOptional(entry);
      wanted.dependency = dependencyOf(entry);
    });
    return result;
  }

  SymbolLookup find(const NeededSymbol& wanted) const override {
    SymbolLookup result;
    findEach(wanted, [&](const NeededSymbol&, const SymbolLookup& lookup) { result = lookup; });
    return result;
  }

  void findEach(
      llvm::ArrayRef<NeededSymbol> wanted,
      llvm::function_ref<void(const NeededSymbol&, const SymbolLookup&)> report) const override {
    if (tables.trie.empty()) {
      SymbolLookup lookup;
      for (const NeededSymbol& symbol : wanted) {
        lookup.kind = std::binary_search(listed.begin(), listed.end(), symbol.name)
                          ? SymbolLookup::Kind::Defined
                          : SymbolLookup::Kind::Absent;
        report(symbol, lookup);
      }
      return;
    }
    std::vector<llvm::StringRef> names;
    names.reserve(wanted.size());
    for (const NeededSymbol& symbol : wanted)
      names.push_back(symbol.name);
    const std::vector<std::optional<TrieEntry>> entries = findExports(tables.trie, names);
    for (auto [symbol, entry] : llvm::zip(wanted, entries))
      report(symbol, lookupOf(symbol, entry));
  }

private:
  static bool isOptional(const SymbolEntry& entry) { return (entry.description & N_WEAK_REF) != 0; }

  /// Empty: this image, the executable, or a flat lookup.
  std::optional<size_t> dependencyOf(const SymbolEntry& entry) const {
    const uint8_t ordinal = GET_LIBRARY_ORDINAL(entry.description);
    return isTwoLevel && ordinal >= 1 && ordinal <= dependencyCount ? std::optional(ordinal - 1)
                                                                    : std::nullopt;
  }

  /// The group of a symbol in needed().
  size_t placeOf(const SymbolEntry& entry) const {
    const std::optional<size_t> dependency = dependencyOf(entry);
    return 2 * (dependency ? *dependency + 1 : 0) + isOptional(entry);
  }

  SymbolLookup lookupOf(const NeededSymbol& wanted, const std::optional<TrieEntry>& entry) const {
    SymbolLookup lookup;
    if (!entry)
      return lookup;
    lookup.kind = SymbolLookup::Kind::Defined;
    if (entry->isReexport && entry->ordinal >= 1 && entry->ordinal <= dependencyCount) {
      lookup.kind = SymbolLookup::Kind::Forwarded;
      lookup.dependency = entry->ordinal - 1;
      lookup.symbol.name = entry->importedName.empty() ? wanted.name : entry->importedName;
    }
    return lookup;
  }

  SymbolTables tables;
  bool isTwoLevel;
  size_t dependencyCount = 0;
  std::vector<llvm::StringRef> listed; ///< exported names, sorted; only if there is no trie
};

} // namespace

std::unique_ptr<SymbolTable> openSymbols(Bytes sliceBytes, const FileSlice& slice) {
  return std::make_unique<MachOSymbols>(sliceBytes, slice);
}

} // namespace tcfix::macho
