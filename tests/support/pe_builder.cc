#include "support/pe_builder.h"

#include "pe/section_builder.h"

#include <llvm/Object/COFF.h>

#include <algorithm>
#include <map>

namespace tcfix::support {

using namespace llvm::object;
using llvm::support::endian::write16le;
using llvm::support::endian::write32le;
using pe::SectionBuilder;
namespace COFF = llvm::COFF;

namespace {

constexpr uint64_t kImageBase = 0x10000000;
constexpr uint32_t kHeaderOffset = 0x80;

ByteVector zeroEnded(const std::string& text) {
  ByteVector bytes(text.begin(), text.end());
  bytes.push_back(0);
  return bytes;
}

// Same as ImageHlp's CheckSumMappedFile; the field itself is still zero.
uint32_t checksumOf(const ByteVector& file) {
  uint32_t sum = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    sum += i % 2 ? uint32_t(file[i]) << 8 : file[i];
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum + static_cast<uint32_t>(file.size());
}

class PeBuilder {
public:
  explicit PeBuilder(const PeRecipe& recipe) : recipe(recipe) {}
  ByteVector build();

private:
  struct Placed {
    uint32_t lookup, slots, name, count;
  };

  uint32_t pointerSize() const { return recipe.is64 ? 8 : 4; }
  uint32_t addressOf(unsigned section) const { return section * recipe.sectionAlignment; }
  void writePointer(uint8_t* at, uint64_t value) const {
    for (uint32_t i = 0; i < pointerSize(); ++i)
      at[i] = static_cast<uint8_t>(value >> (8 * i));
  }

  Placed placeSymbols(const PeImport& import);
  void addImports(bool isDelay);
  void addExports();
  void addTls();
  void addUnwindTable();
  void addRelocations();
  template <typename Header>
  void fillOptionalHeader(uint8_t* bytes) const;
  ByteVector assemble();

  const PeRecipe& recipe;
  SectionBuilder text, constants, unwind, data, relocations;
  std::map<unsigned, std::pair<uint32_t, uint32_t>> directories;
  std::vector<uint32_t> pointers; ///< places with absolute addresses
};

PeBuilder::Placed PeBuilder::placeSymbols(const PeImport& import) {
  Placed placed;
  placed.count = static_cast<uint32_t>(import.symbols.size());
  placed.name = constants.add(zeroEnded(import.library), 2);
  std::vector<uint64_t> values;
  for (const std::string& symbol : import.symbols) {
    if (symbol[0] == '#') {
      values.push_back((uint64_t(1) << (pointerSize() * 8 - 1)) | std::stoul(symbol.substr(1)));
      continue;
    }
    ByteVector hintAndName = zeroEnded(symbol);
    hintAndName.insert(hintAndName.begin(), 2, 0);
    values.push_back(constants.add(hintAndName, 2));
  }
  const uint32_t size = (placed.count + 1) * pointerSize();
  placed.lookup = constants.addZeros(size, 8);
  placed.slots = constants.addZeros(size, 8);
  for (uint32_t i = 0; i < placed.count; ++i)
    for (uint32_t table : {placed.lookup, placed.slots})
      writePointer(constants.at(table + i * pointerSize()), values[i]);
  if (import.isCalled)
    for (uint32_t i = 0; i < placed.count; ++i) {
      const uint32_t slot = placed.slots + i * pointerSize();
      uint8_t call[6] = {0xff, 0x15}; // call [slot], relative to the next instruction in 64 bits
      write32le(call + 2,
                recipe.is64 ? slot - (text.end() + 6) : static_cast<uint32_t>(kImageBase + slot));
      if (!recipe.is64)
        pointers.push_back(text.end() + 2);
      text.add(call, 1);
    }
  return placed;
}

void PeBuilder::addImports(bool isDelay) {
  ByteVector table;
  uint32_t firstSlot = 0, lastSlot = 0;
  for (const PeImport& import : recipe.imports) {
    if (import.isDelay != isDelay)
      continue;
    const Placed placed = placeSymbols(import);
    const uint32_t lookup = import.hasLookupTable ? placed.lookup : 0;
    const size_t size = isDelay ? 32 : 20;
    table.resize(table.size() + size);
    uint8_t* entry = table.data() + table.size() - size;
    if (isDelay) {
      const uint32_t fields[] = {1, placed.name, data.addZeros(8, 8), placed.slots, placed.lookup};
      for (size_t i = 0; i < std::size(fields); ++i)
        write32le(entry + 4 * i, fields[i]);
    } else {
      const uint32_t bound = recipe.hasBoundImports ? UINT32_MAX : 0;
      const uint32_t fields[] = {lookup, bound, bound, placed.name, placed.slots};
      for (size_t i = 0; i < std::size(fields); ++i)
        write32le(entry + 4 * i, fields[i]);
      firstSlot = firstSlot ? firstSlot : placed.slots;
      lastSlot = placed.slots + (placed.count + 1) * pointerSize();
    }
  }
  if (table.empty())
    return;
  table.resize(table.size() + (isDelay ? 32 : 20));
  const uint32_t address = constants.add(table, 4);
  directories[isDelay ? COFF::DELAY_IMPORT_DESCRIPTOR : COFF::IMPORT_TABLE] = {
      address, static_cast<uint32_t>(table.size())};
  if (!isDelay)
    directories[COFF::IAT] = {firstSlot, lastSlot - firstSlot};
}

void PeBuilder::addExports() {
  if (recipe.exportName.empty())
    return;
  const uint32_t count = static_cast<uint32_t>(recipe.exports.size());
  const uint32_t begin = constants.addZeros(40, 4);
  const uint32_t addresses = constants.addZeros(4 * count, 4);
  const uint32_t names = constants.addZeros(4 * count, 4);
  const uint32_t ordinals = constants.addZeros(2 * count, 2);
  const uint32_t fields[] = {0,     0,       0,     constants.add(zeroEnded(recipe.exportName), 1),
                             1,     count,   count, addresses,
                             names, ordinals};
  for (size_t i = 0; i < std::size(fields); ++i)
    write32le(constants.at(begin + uint32_t(4 * i)), fields[i]);
  for (uint32_t i = 0; i < count; ++i) {
    const PeExport& each = recipe.exports[i];
    const uint32_t target =
        each.forwardTo.empty() ? text.begin() : constants.add(zeroEnded(each.forwardTo), 1);
    write32le(constants.at(addresses + 4 * i), target);
    const uint32_t name = constants.add(zeroEnded(each.name), 1);
    write32le(constants.at(names + 4 * i), name);
    write16le(constants.at(ordinals + 2 * i), static_cast<uint16_t>(i));
  }
  directories[COFF::EXPORT_TABLE] = {begin, constants.end() - begin};
}

void PeBuilder::addTls() {
  if (!recipe.hasTlsCallback)
    return;
  const uint32_t callbacks = constants.addZeros(2 * pointerSize(), 8);
  writePointer(constants.at(callbacks), kImageBase + text.begin());
  pointers.push_back(callbacks);
  const uint32_t block = data.addZeros(16, 8);
  const uint32_t directory = constants.addZeros(4 * pointerSize() + 8, 8);
  const uint64_t values[] = {block, block + 8, block + 8, callbacks};
  for (uint32_t i = 0; i < 4; ++i) {
    writePointer(constants.at(directory + i * pointerSize()), kImageBase + values[i]);
    pointers.push_back(directory + i * pointerSize());
  }
  directories[COFF::TLS_TABLE] = {directory, 4 * pointerSize() + 8};
}

void PeBuilder::addUnwindTable() {
  if (!recipe.hasUnwindTable || !recipe.is64)
    return;
  const uint8_t info[] = {1, 0, 0, 0};
  const uint32_t unwindInfo = constants.add(info, 4);
  const uint32_t entries = recipe.isUnwindTableTight ? recipe.fileAlignment * 3 / 12 : 1;
  for (uint32_t i = 0; i < entries; ++i) {
    const uint32_t at = unwind.addZeros(12, 4);
    write32le(unwind.at(at), text.begin() + i);
    write32le(unwind.at(at + 4), text.begin() + i + 1);
    write32le(unwind.at(at + 8), unwindInfo);
  }
  directories[COFF::EXCEPTION_TABLE] = {unwind.begin(), entries * 12};
}

void PeBuilder::addRelocations() {
  std::map<uint32_t, std::vector<uint16_t>> pages;
  for (uint32_t pointer : pointers)
    pages[pointer & ~0xfffu].push_back(pointer & 0xfff);
  for (auto& [page, offsets] : pages) {
    std::sort(offsets.begin(), offsets.end());
    if (offsets.size() % 2)
      offsets.push_back(0);
    const uint32_t size = static_cast<uint32_t>(8 + 2 * offsets.size());
    const uint32_t at = relocations.addZeros(size, 4);
    write32le(relocations.at(at), page);
    write32le(relocations.at(at + 4), size);
    for (uint32_t i = 0; i < offsets.size(); ++i) {
      const unsigned type =
          recipe.is64 ? COFF::IMAGE_REL_BASED_DIR64 : COFF::IMAGE_REL_BASED_HIGHLOW;
      write16le(relocations.at(at + 8 + 2 * i),
                offsets[i] ? static_cast<uint16_t>(type << 12 | offsets[i]) : 0);
    }
  }
  if (relocations.end() != relocations.begin())
    directories[COFF::BASE_RELOCATION_TABLE] = {relocations.begin(),
                                                relocations.end() - relocations.begin()};
  else
    relocations.addZeros(4, 4);
}

template <typename Header>
void PeBuilder::fillOptionalHeader(uint8_t* bytes) const {
  auto* header = reinterpret_cast<Header*>(bytes);
  header->Magic = recipe.is64 ? COFF::PE32Header::PE32_PLUS : COFF::PE32Header::PE32;
  header->AddressOfEntryPoint = recipe.hasEntryPoint ? text.begin() : 0;
  header->ImageBase = static_cast<uint32_t>(kImageBase);
  header->SectionAlignment = recipe.sectionAlignment;
  header->FileAlignment = recipe.fileAlignment;
  header->MajorSubsystemVersion = 6;
  header->SizeOfImage = addressOf(6 + recipe.extraSections);
  header->Subsystem = COFF::IMAGE_SUBSYSTEM_WINDOWS_GUI;
  header->DLLCharacteristics = recipe.dllCharacteristics;
  header->NumberOfRvaAndSize = 16;
}

ByteVector PeBuilder::assemble() {
  const uint32_t count = 5 + recipe.extraSections;
  const uint32_t optional = kHeaderOffset + 24;
  const uint32_t fixedSize = recipe.is64 ? sizeof(pe32plus_header) : sizeof(pe32_header);
  const uint32_t table = optional + fixedSize + 16 * 8;
  const uint32_t headersSize = static_cast<uint32_t>(
      alignUp(table + 40 * count + (recipe.hasBoundImports ? 16 : 0), recipe.fileAlignment));
  ByteVector file(headersSize);
  file[0] = 'M', file[1] = 'Z';
  write32le(file.data() + 60, kHeaderOffset);
  std::copy_n("PE\0\0", 4, file.data() + kHeaderOffset);
  auto* header = reinterpret_cast<coff_file_header*>(file.data() + kHeaderOffset + 4);
  header->Machine = recipe.machine;
  header->NumberOfSections = static_cast<uint16_t>(count);
  header->SizeOfOptionalHeader = static_cast<uint16_t>(fixedSize + 16 * 8);
  header->Characteristics = static_cast<uint16_t>(COFF::IMAGE_FILE_EXECUTABLE_IMAGE |
                                                  recipe.isDll * COFF::IMAGE_FILE_DLL);
  if (recipe.is64)
    fillOptionalHeader<pe32plus_header>(file.data() + optional);
  else
    fillOptionalHeader<pe32_header>(file.data() + optional);
  write32le(file.data() + optional + offsetof(pe32_header, SizeOfHeaders), headersSize);
  if (recipe.hasBoundImports) {
    const uint32_t bound = table + 40 * count;
    directories[COFF::BOUND_IMPORT] = {bound, 16};
    std::fill_n(file.begin() + bound, 16, 0xbb);
  }

  struct {
    const char* name;
    const SectionBuilder* content;
    uint32_t characteristics;
  } const sections[] = {{".text", &text, 0x60000020},
                        {".rdata", &constants, 0x40000040},
                        {".pdata", &unwind, 0x40000040},
                        {".data", &data, 0xc0000040},
                        {".reloc", &relocations, 0x42000040}};
  for (uint32_t i = 0; i < count; ++i) {
    const bool isExtra = i >= 5;
    const Bytes content = isExtra ? Bytes() : sections[i].content->bytes();
    const uint32_t fileSize = static_cast<uint32_t>(alignUp(content.size(), recipe.fileAlignment));
    auto* section = reinterpret_cast<coff_section*>(file.data() + table + 40 * i);
    std::copy_n(isExtra ? ".extra" : sections[i].name, 6, section->Name);
    section->VirtualSize = static_cast<uint32_t>(std::max<size_t>(content.size(), 1));
    section->VirtualAddress = addressOf(i + 1);
    section->SizeOfRawData = fileSize;
    section->PointerToRawData = fileSize ? static_cast<uint32_t>(file.size()) : 0;
    section->Characteristics = isExtra ? 0xc0000080 : sections[i].characteristics;
    file.insert(file.end(), content.begin(), content.end());
    file.resize(alignUp(file.size(), recipe.fileAlignment));
  }
  // The table may have moved in memory, but not in the file.
  if (recipe.hasSymbolTable)
    reinterpret_cast<coff_file_header*>(file.data() + kHeaderOffset + 4)->PointerToSymbolTable =
        static_cast<uint32_t>(file.size());
  file.insert(file.end(), recipe.overlay.begin(), recipe.overlay.end());
  if (recipe.certificateSize) {
    file.resize(alignUp(file.size(), 8));
    directories[COFF::CERTIFICATE_TABLE] = {static_cast<uint32_t>(file.size()),
                                            recipe.certificateSize};
    file.resize(file.size() + recipe.certificateSize, 0xce);
  }
  for (const auto& [index, directory] : directories) {
    write32le(file.data() + optional + fixedSize + 8 * index, directory.first);
    write32le(file.data() + optional + fixedSize + 8 * index + 4, directory.second);
  }
  if (recipe.hasChecksum)
    write32le(file.data() + optional + offsetof(pe32_header, CheckSum), checksumOf(file));
  return file;
}

ByteVector PeBuilder::build() {
  text = SectionBuilder(addressOf(1));
  constants = SectionBuilder(addressOf(2));
  unwind = SectionBuilder(addressOf(3));
  data = SectionBuilder(addressOf(4));
  relocations = SectionBuilder(addressOf(5));
  data.addZeros(8, 8);
  addImports(false);
  addImports(true);
  text.addZeros(16, 16);
  addExports();
  addTls();
  addUnwindTable();
  if (unwind.bytes().empty())
    unwind.addZeros(4, 4);
  addRelocations();
  return assemble();
}

} // namespace

PeRecipe recipeFor32Bit() {
  PeRecipe recipe;
  recipe.is64 = false;
  recipe.machine = COFF::IMAGE_FILE_MACHINE_I386;
  return recipe;
}

ByteVector buildPe(const PeRecipe& recipe) {
  return PeBuilder(recipe).build();
}

} // namespace tcfix::support
