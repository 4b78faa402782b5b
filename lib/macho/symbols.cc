// Imports and exports of a slice.
//
// Imports come from the symbol table, whose entries are bound to dependencies by ordinal; exports
// come from the export trie, which is what dyld reads, or from the symbol table of a file without
// one. LLVM is not used, because it does not check that strings are terminated.
#include "macho/symbols.h"

#include "macho/describe.h"
#include "macho/export_trie.h"

namespace tcfix::macho {

using namespace llvm::MachO;

namespace {

template <typename Entry>
void visitEntries(Bytes entries, llvm::StringRef strings, bool isSwapped,
                  SymbolTables::Visit visit) {
  for (; entries.size() >= sizeof(Entry); entries = entries.drop_front(sizeof(Entry))) {
    Entry entry;
    std::memcpy(&entry, entries.data(), sizeof entry);
    if (isSwapped)
      swapStruct(entry);
    bool isPublic =
        (entry.n_type & N_STAB) == 0 && (entry.n_type & N_EXT) != 0 && (entry.n_type & N_PEXT) == 0;
    if (!isPublic || entry.n_strx >= strings.size())
      continue; // the name is out of bounds
    visit({entry.n_type, static_cast<uint16_t>(entry.n_desc), strings.drop_front(entry.n_strx)});
  }
}

} // namespace

void SymbolTables::forEach(uint64_t first, uint64_t count, Visit visit) const {
  uint64_t size = is64 ? sizeof(nlist_64) : sizeof(struct nlist);
  uint64_t all = entries.size() / size;
  first = std::min(first, all);
  Bytes wanted = entries.slice(first * size, std::min(count, all - first) * size);
  bool isSwapped = isLittleEndian != llvm::sys::IsLittleEndianHost;
  if (is64)
    visitEntries<nlist_64>(wanted, strings, isSwapped, visit);
  else
    visitEntries<struct nlist>(wanted, strings, isSwapped, visit);
}

void SymbolTables::forEachUndefined(Visit visit) const {
  forEach(firstUndefined, undefinedCount, [&](const SymbolEntry& entry) {
    if (entry.isUndefined())
      visit(entry);
  });
}

SymbolTables symbolTablesOf(Bytes sliceBytes, const FileSlice& slice) {
  auto bytesAt = [&](uint64_t offset, uint64_t size) {
    return part(sliceBytes, offset, size).value_or(Bytes());
  };
  SymbolTables tables;
  tables.is64 = slice.is64;
  tables.isLittleEndian = slice.isLittleEndian;
  tables.undefinedCount = UINT64_MAX;
  for (const LoadCommand& command : slice.commands) {
    if (command.kind == LC_SYMTAB) {
      auto table = commandAs<symtab_command>(slice, command);
      uint64_t entrySize = slice.is64 ? sizeof(nlist_64) : sizeof(struct nlist);
      tables.entries = bytesAt(table.symoff, table.nsyms * entrySize);
      tables.strings = textOf(bytesAt(table.stroff, table.strsize));
    } else if (command.kind == LC_DYSYMTAB) {
      auto order = commandAs<dysymtab_command>(slice, command);
      tables.firstUndefined = order.iundefsym;
      tables.undefinedCount = order.nundefsym;
    } else if (command.kind == LC_DYLD_EXPORTS_TRIE) {
      auto data = commandAs<linkedit_data_command>(slice, command);
      tables.trie = bytesAt(data.dataoff, data.datasize);
    } else if (command.kind == LC_DYLD_INFO || command.kind == LC_DYLD_INFO_ONLY) {
      auto info = commandAs<dyld_info_command>(slice, command);
      tables.trie = bytesAt(info.export_off, info.export_size);
    }
  }
  return tables;
}

void addSymbols(Bytes sliceBytes, const FileSlice& slice, Slice& description) {
  SymbolTables tables = symbolTablesOf(sliceBytes, slice);
  bool isTwoLevel = (slice.flags & MH_TWOLEVEL) != 0;
  std::vector<std::string> defined;
  tables.forEachPublic([&](const SymbolEntry& entry) {
    if (!entry.isUndefined()) {
      defined.push_back(entry.name().str());
      return;
    }
    // The ordinal of a dependency; else this image, the executable, or a flat lookup.
    uint8_t ordinal = GET_LIBRARY_ORDINAL(entry.description);
    bool isBound = isTwoLevel && ordinal >= 1 && ordinal <= description.dependencies.size();
    description.imports.push_back(
        {entry.name().str(), isBound ? description.dependencies[ordinal - 1].name : std::string(),
         (entry.description & N_WEAK_REF) != 0});
  });
  // If the trie is empty or corrupt, fall back to the symbol table.
  description.exports = exportNames(tables.trie).value_or(std::vector<std::string>());
  if (description.exports.empty())
    description.exports = std::move(defined);
  std::sort(description.exports.begin(), description.exports.end());
}

} // namespace tcfix::macho
