#include "pe/imports.h"

#include "base/error.h"

#include <llvm/Support/FormatVariadic.h>

namespace tcfix::pe {

using namespace llvm::object;
namespace COFF = llvm::COFF;

namespace {

llvm::Error cutShort(llvm::StringRef what) {
  return fail(ErrorCode::Malformed, (what + " is outside the file").str());
}

llvm::Error readOrdinary(const PeFile& file, std::vector<Import>& imports) {
  const Directory& directory = file.directories[COFF::IMPORT_TABLE];
  if (!directory.isPresent())
    return llvm::Error::success();
  // Windows reads up to the first empty descriptor and does not look at the directory's size.
  for (uint64_t at = directory.address;; at += sizeof(coff_import_directory_table_entry)) {
    const auto* entry = file.structAt<coff_import_directory_table_entry>(at);
    if (!entry)
      return cutShort("the import table");
    if (entry->NameRVA == 0 || entry->ImportAddressTableRVA == 0)
      return llvm::Error::success();
    Import import;
    std::optional<llvm::StringRef> name = file.stringAt(entry->NameRVA);
    if (!name || name->empty())
      return cutShort(llvm::formatv("the name of import {0}", imports.size() + 1).str());
    import.name = *name;
    import.descriptor = static_cast<uint32_t>(at);
    import.nameAddress = entry->NameRVA;
    import.slots = entry->ImportAddressTableRVA;
    import.lookup = entry->ImportLookupTableRVA ? entry->ImportLookupTableRVA : import.slots;
    import.isBound = entry->TimeDateStamp != 0;
    imports.push_back(import);
  }
}

llvm::Error readDelayed(const PeFile& file, std::vector<Import>& imports) {
  const Directory& directory = file.directories[COFF::DELAY_IMPORT_DESCRIPTOR];
  if (!directory.isPresent())
    return llvm::Error::success();
  for (uint64_t at = directory.address;; at += sizeof(delay_import_directory_table_entry)) {
    const auto* entry = file.structAt<delay_import_directory_table_entry>(at);
    if (!entry)
      return cutShort("the delay-import table");
    if (entry->Name == 0 || entry->DelayImportNameTable == 0)
      return llvm::Error::success();
    Import import;
    import.isDelay = true;
    import.usesAddresses = !(entry->Attributes & 1);
    const uint32_t base = import.usesAddresses ? static_cast<uint32_t>(file.imageBase) : 0;
    import.nameAddress = entry->Name - base;
    std::optional<llvm::StringRef> name = file.stringAt(import.nameAddress);
    if (!name || name->empty())
      return cutShort("the name of a delay import");
    import.name = *name;
    import.descriptor = static_cast<uint32_t>(at);
    import.lookup = entry->DelayImportNameTable - base;
    import.slots = entry->DelayImportAddressTable - base;
    imports.push_back(import);
  }
}

} // namespace

std::string ImportedName::text() const {
  return name.empty() ? "#" + std::to_string(ordinal) : name.str();
}

llvm::Expected<std::vector<Import>> readImports(const PeFile& file) {
  std::vector<Import> imports;
  if (llvm::Error error = readOrdinary(file, imports))
    return error;
  if (llvm::Error error = readDelayed(file, imports))
    return error;
  return imports;
}

std::vector<size_t> dependencyOfEach(llvm::ArrayRef<Import> imports) {
  std::vector<size_t> result;
  size_t count = 0;
  for (size_t i = 0; i < imports.size(); ++i) {
    size_t same = 0;
    while (same < i && (imports[same].isDelay != imports[i].isDelay ||
                        !imports[same].name.equals_insensitive(imports[i].name)))
      ++same;
    result.push_back(same < i ? result[same] : count++);
  }
  return result;
}

llvm::Expected<uint32_t> countSlots(const PeFile& file, const Import& import) {
  for (uint32_t count = 0;; ++count) {
    std::optional<uint64_t> value =
        file.pointerAt(uint64_t(import.lookup) + uint64_t(count) * file.pointerSize());
    if (!value)
      return cutShort(("the list of symbols from " + import.name).str());
    if (*value == 0)
      return count;
  }
}

llvm::Expected<std::vector<ImportedName>> readImportedNames(const PeFile& file,
                                                            const Import& import) {
  std::vector<ImportedName> names;
  llvm::Expected<uint32_t> count = countSlots(file, import);
  if (!count)
    return count.takeError();
  const uint64_t ordinalFlag = uint64_t(1) << (file.pointerSize() * 8 - 1);
  for (uint32_t i = 0; i < *count; ++i) {
    const uint64_t value = *file.pointerAt(uint64_t(import.lookup) + i * file.pointerSize());
    if (value & ordinalFlag) {
      names.push_back({{}, static_cast<uint16_t>(value)});
      continue;
    }
    // A 16-bit hint precedes the name.
    const uint64_t base = import.usesAddresses ? file.imageBase : 0;
    std::optional<llvm::StringRef> name = file.stringAt((value & INT32_MAX) - base + 2);
    if (!name)
      return cutShort(("the name of a symbol from " + import.name).str());
    names.push_back({*name, 0});
  }
  return names;
}

} // namespace tcfix::pe
