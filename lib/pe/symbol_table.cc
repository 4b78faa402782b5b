#include "pe/symbol_table.h"

#include "pe/imports.h"

namespace tcfix::pe {

using llvm::object::export_directory_table_entry;
using llvm::support::ulittle16_t;
using llvm::support::ulittle32_t;

namespace {

class PeSymbols : public SymbolTable {
public:
  explicit PeSymbols(Bytes bytes) : image(bytes) {}

  llvm::Error read() {
    llvm::Expected<PeFile> opened = PeFile::read(image);
    if (!opened)
      return opened.takeError();
    file.emplace(std::move(*opened));
    llvm::Expected<std::vector<Import>> readList = readImports(*file);
    if (!readList)
      return readList.takeError();
    imports = std::move(*readList);
    directory = file->directories[llvm::COFF::EXPORT_TABLE];
    if (directory.isPresent())
      exports = file->structAt<export_directory_table_entry>(directory.address);
    return llvm::Error::success();
  }

  llvm::Expected<std::vector<NeededSymbol>> needed() const override {
    std::vector<NeededSymbol> result;
    const std::vector<size_t> dependencies = dependencyOfEach(imports);
    for (size_t i = 0; i < imports.size(); ++i) {
      llvm::Expected<std::vector<ImportedName>> names = readImportedNames(*file, imports[i]);
      if (!names)
        return names.takeError();
      for (const ImportedName& name : *names) {
        NeededSymbol wanted;
        wanted.name = name.name;
        wanted.ordinal = name.ordinal;
        wanted.dependency = dependencies[i];
        result.push_back(wanted);
      }
    }
    return result;
  }

  SymbolLookup find(const NeededSymbol& wanted) const override {
    SymbolLookup lookup;
    std::optional<uint64_t> index = exports ? indexOf(wanted) : std::nullopt;
    const ulittle32_t* address =
        index && *index < exports->AddressTableEntries
            ? file->structAt<ulittle32_t>(exports->ExportAddressTableRVA + *index * 4)
            : nullptr;
    if (!address || *address == 0)
      return lookup;
    lookup.kind = SymbolLookup::Kind::Defined;
    // An address inside the export directory itself is a forwarder's string.
    if (*address < directory.address || *address >= directory.end())
      return lookup;
    llvm::StringRef target = file->stringAt(*address).value_or(llvm::StringRef());
    auto [library, symbol] = target.rsplit('.');
    lookup.kind = SymbolLookup::Kind::Forwarded;
    lookup.library = library;
    if (!symbol.consume_front("#") || symbol.getAsInteger(10, lookup.symbol.ordinal))
      lookup.symbol.name = symbol;
    return lookup;
  }

private:
  std::optional<uint64_t> indexOf(const NeededSymbol& wanted) const {
    if (wanted.name.empty())
      return wanted.ordinal >= exports->OrdinalBase
                 ? std::optional<uint64_t>(wanted.ordinal - exports->OrdinalBase)
                 : std::nullopt;
    uint64_t low = 0, high = exports->NumberOfNamePointers;
    while (low < high) {
      uint64_t middle = low + (high - low) / 2;
      const auto* pointer = file->structAt<ulittle32_t>(exports->NamePointerRVA + middle * 4);
      std::optional<llvm::StringRef> name = pointer ? file->stringAt(*pointer) : std::nullopt;
      if (!name)
        return std::nullopt;
      int order = wanted.name.compare(*name);
      if (order == 0) {
        const auto* index = file->structAt<ulittle16_t>(exports->OrdinalTableRVA + middle * 2);
        return index ? std::optional<uint64_t>(*index) : std::nullopt;
      }
      (order < 0 ? high : low) = order < 0 ? middle : middle + 1;
    }
    return std::nullopt;
  }

  ByteOverlay image;
  std::optional<PeFile> file;
  std::vector<Import> imports;
  Directory directory;
  const export_directory_table_entry* exports = nullptr;
};

} // namespace

llvm::Expected<std::unique_ptr<SymbolTable>> openSymbols(Bytes bytes) {
  auto symbols = std::make_unique<PeSymbols>(bytes);
  if (llvm::Error error = symbols->read())
    return error;
  return symbols;
}

} // namespace tcfix::pe
