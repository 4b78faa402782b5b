#include "pe/exports.h"

#include "base/error.h"

#include <algorithm>

namespace tcfix::pe {

using namespace llvm::object;
using llvm::support::ulittle16_t;
using llvm::support::ulittle32_t;

namespace {

template <typename T>
std::optional<llvm::ArrayRef<T>> arrayAt(const PeFile& file, uint32_t rva, uint64_t count) {
  if (count == 0)
    return llvm::ArrayRef<T>();
  std::optional<Bytes> bytes = file.bytesAt(rva, count * sizeof(T));
  if (!bytes)
    return std::nullopt;
  return llvm::ArrayRef<T>(reinterpret_cast<const T*>(bytes->data()), count);
}

llvm::Error malformed(const char* message) {
  return fail(ErrorCode::Malformed, message);
}

} // namespace

llvm::Expected<Exports> readExportName(const PeFile& file) {
  Exports exports;
  const Directory& directory = file.directories[llvm::COFF::EXPORT_TABLE];
  if (!directory.isPresent())
    return exports;
  const auto* table = file.structAt<export_directory_table_entry>(directory.address);
  if (!table)
    return malformed("the export directory is outside the file");
  std::optional<llvm::StringRef> libraryName = file.stringAt(table->NameRVA);
  if (table->NameRVA && !libraryName)
    return malformed("the library's name in the export directory is outside the file");
  if (libraryName && !libraryName->empty())
    exports.libraryName = libraryName->str();
  return exports;
}

llvm::Expected<Exports> readExports(const PeFile& file) {
  llvm::Expected<Exports> named = readExportName(file);
  const Directory& directory = file.directories[llvm::COFF::EXPORT_TABLE];
  if (!named || !directory.isPresent())
    return named;
  Exports& exports = *named;
  const auto* table = file.structAt<export_directory_table_entry>(directory.address);

  auto addresses =
      arrayAt<ulittle32_t>(file, table->ExportAddressTableRVA, table->AddressTableEntries);
  auto names = arrayAt<ulittle32_t>(file, table->NamePointerRVA, table->NumberOfNamePointers);
  auto ordinals = arrayAt<ulittle16_t>(file, table->OrdinalTableRVA, table->NumberOfNamePointers);
  if (!addresses || !names || !ordinals)
    return malformed("a table of the export directory is outside the file");

  exports.firstOrdinal = table->OrdinalBase;
  exports.hasOrdinal.resize(addresses->size());
  std::vector<llvm::StringRef> nameOf(addresses->size());
  for (size_t i = 0; i < names->size(); ++i) {
    std::optional<llvm::StringRef> name = file.stringAt((*names)[i]);
    if (!name)
      return malformed("the name of an export is outside the file");
    if ((*ordinals)[i] >= addresses->size())
      return malformed("the ordinal of an export is not in the address table");
    exports.names.push_back(*name);
    nameOf[(*ordinals)[i]] = *name;
  }
  for (size_t i = 0; i < addresses->size(); ++i) {
    const uint32_t address = (*addresses)[i];
    if (address == 0)
      continue;
    exports.hasOrdinal[i] = true;
    const uint64_t ordinal = uint64_t(exports.firstOrdinal) + i;
    if (nameOf[i].empty())
      exports.namelessOrdinals.push_back(static_cast<uint32_t>(ordinal));
    // An address inside the export directory itself is a forwarder's string.
    if (address < directory.address || address >= directory.end())
      continue;
    std::optional<llvm::StringRef> target = file.stringAt(address);
    if (!target)
      return malformed("the string of a forwarder is outside the file");
    exports.forwarders.push_back(
        {nameOf[i].empty() ? "#" + std::to_string(ordinal) : nameOf[i].str(), target->str()});
  }
  // Linkers sort the names for the loader's binary search; sort them in case one did not.
  if (!std::is_sorted(exports.names.begin(), exports.names.end()))
    std::sort(exports.names.begin(), exports.names.end());
  return named;
}

} // namespace tcfix::pe
