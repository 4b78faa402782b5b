// Imports and exports of a slice.
//
// Imports come from the symbol table, whose entries say by ordinal which dependency they are bound
// to; exports from the export trie, which is what dyld looks into, or from the symbol table of a
// file that has none. Both are read here and not by LLVM, which trusts the texts to have an end.

#include "macho/describe.h"
#include "macho/export_trie.h"

namespace tcfix::macho {

using namespace llvm::MachO;

namespace {

// n_desc keeps the ordinal in its upper byte; three values are special.
std::string providerOf(uint16_t description, const Slice& slice) {
  uint8_t ordinal = llvm::MachO::GET_LIBRARY_ORDINAL(description);
  if (ordinal >= 1 && ordinal <= slice.dependencies.size())
    return slice.dependencies[ordinal - 1].name;
  return {}; // this image, the executable, or a flat look-up
}

// Imports go into the description; the names that the table defines are returned.
template <typename Entry>
std::vector<std::string> readTable(Bytes entries, llvm::StringRef strings, const FileSlice& slice,
                                   Slice& description) {
  bool isTwoLevel = (slice.flags & MH_TWOLEVEL) != 0;
  std::vector<std::string> defined;
  for (; entries.size() >= sizeof(Entry); entries = entries.drop_front(sizeof(Entry))) {
    Entry entry;
    std::memcpy(&entry, entries.data(), sizeof entry);
    if (slice.isLittleEndian != llvm::sys::IsLittleEndianHost)
      swapStruct(entry);
    bool isPublic =
        (entry.n_type & N_STAB) == 0 && (entry.n_type & N_EXT) != 0 && (entry.n_type & N_PEXT) == 0;
    if (!isPublic || entry.n_strx >= strings.size())
      continue; // a name outside the string table names nothing
    std::string name = strings.drop_front(entry.n_strx).split('\0').first.str();
    if ((entry.n_type & N_TYPE) == N_UNDF)
      description.imports.push_back(
          {std::move(name), isTwoLevel
                                ? providerOf(static_cast<uint16_t>(entry.n_desc), description)
                                : std::string()});
    else
      defined.push_back(std::move(name));
  }
  return defined;
}

} // namespace

void addSymbols(Bytes sliceBytes, const FileSlice& slice, Slice& description) {
  // A table that is not all there is left out; read() refuses such files anyway.
  auto bytesAt = [&](uint64_t offset, uint64_t size) {
    return part(sliceBytes, offset, size).value_or(Bytes());
  };
  std::vector<std::string> defined;
  Bytes trie;
  for (const LoadCommand& command : slice.commands) {
    if (command.kind == LC_SYMTAB) {
      auto table = commandAs<symtab_command>(slice, command);
      uint64_t entrySize = slice.is64 ? sizeof(nlist_64) : sizeof(struct nlist);
      Bytes entries = bytesAt(table.symoff, table.nsyms * entrySize);
      llvm::StringRef strings = textOf(bytesAt(table.stroff, table.strsize));
      defined = slice.is64 ? readTable<nlist_64>(entries, strings, slice, description)
                           : readTable<struct nlist>(entries, strings, slice, description);
    } else if (command.kind == LC_DYLD_EXPORTS_TRIE) {
      auto data = commandAs<linkedit_data_command>(slice, command);
      trie = bytesAt(data.dataoff, data.datasize);
    } else if (command.kind == LC_DYLD_INFO || command.kind == LC_DYLD_INFO_ONLY) {
      auto info = commandAs<dyld_info_command>(slice, command);
      trie = bytesAt(info.export_off, info.export_size);
    }
  }
  // Where the trie is empty or broken, what the symbol table says must do.
  description.exports = exportNames(trie).value_or(std::vector<std::string>());
  if (description.exports.empty())
    description.exports = std::move(defined);
  std::sort(description.exports.begin(), description.exports.end());
}

} // namespace tcfix::macho
