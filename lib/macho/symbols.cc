// Imports and exports of a slice.
//
// Imports come from the symbol table, whose entries say by ordinal which dependency they are bound
// to; exports from the export trie, which is what dyld looks into, or from the symbol table of a
// file that has none.

#include "macho/describe.h"

#include <llvm/Object/MachO.h>

namespace tcfix::macho {

using namespace llvm::MachO;
using llvm::object::MachOObjectFile;

namespace {

// n_desc keeps the ordinal in its upper byte; three values are special.
std::string providerOf(uint16_t description, const Slice& slice) {
  uint8_t ordinal = llvm::MachO::GET_LIBRARY_ORDINAL(description);
  if (ordinal >= 1 && ordinal <= slice.dependencies.size())
    return slice.dependencies[ordinal - 1].name;
  return {}; // this image, the executable, or a flat look-up
}

} // namespace

void addSymbols(Bytes sliceBytes, const FileSlice& slice, Slice& description) {
  auto object =
      MachOObjectFile::create({textOf(sliceBytes), "library"}, slice.isLittleEndian, slice.is64);
  if (!object) {
    llvm::consumeError(object.takeError()); // read() has already accepted these bytes
    return;
  }
  bool isTwoLevel = (slice.flags & MH_TWOLEVEL) != 0;
  std::vector<std::string> definedInTable;
  for (const llvm::object::SymbolRef& symbol : (*object)->symbols()) {
    llvm::object::DataRefImpl handle = symbol.getRawDataRefImpl();
    uint8_t type;
    uint16_t details;
    if (slice.is64) {
      nlist_64 entry = (*object)->getSymbol64TableEntry(handle);
      type = entry.n_type;
      details = entry.n_desc;
    } else {
      nlist entry = (*object)->getSymbolTableEntry(handle);
      type = entry.n_type;
      details = entry.n_desc;
    }
    if ((type & N_STAB) != 0 || (type & N_EXT) == 0 || (type & N_PEXT) != 0)
      continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) {
      llvm::consumeError(name.takeError()); // a name outside the string table names nothing
      continue;
    }
    if ((type & N_TYPE) == N_UNDF)
      description.imports.push_back(
          {name->str(), isTwoLevel ? providerOf(details, description) : std::string()});
    else
      definedInTable.push_back(name->str());
  }

  llvm::Error error = llvm::Error::success();
  for (const llvm::object::ExportEntry& entry : (*object)->exports(error))
    description.exports.push_back(entry.name().str());
  if (error) {
    llvm::consumeError(std::move(error)); // a broken trie: what the symbol table says must do
    description.exports.clear();
  }
  if (description.exports.empty())
    description.exports = std::move(definedInTable);
  std::sort(description.exports.begin(), description.exports.end());
}

} // namespace tcfix::macho
