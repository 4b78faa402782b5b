#include "elf/model.h"

#include "base/error.h"
#include "image/appended.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

/// Sections and dynamic entries: far more than any linker makes. In a file of holes there is room
/// for billions, of zeros, each of which would take memory.
constexpr uint64_t kMostRecords = 1 << 20;

llvm::Error readFileHeader(Model& model) {
  std::optional<Bytes> ident = model.source->read(0, EI_NIDENT);
  if (!ident || textOf(*ident).take_front(4) != llvm::StringRef(ElfMagic, 4))
    return fail(ErrorCode::NotALibrary, "is not an ELF file");
  uint8_t kind = (*ident)[EI_CLASS], order = (*ident)[EI_DATA];
  if (kind != ELFCLASS32 && kind != ELFCLASS64)
    return malformed("invalid ELF class " + std::to_string(kind));
  if (order != ELFDATA2LSB && order != ELFDATA2MSB)
    return malformed("invalid ELF byte order " + std::to_string(order));
  model.flavor = {kind == ELFCLASS64, order == ELFDATA2LSB};
  std::optional<Bytes> bytes = model.source->read(0, headerSize(model.flavor));
  if (!bytes)
    return malformed("the file ends inside the ELF header");
  model.header = readHeader(model.flavor, *bytes);
  if ((*ident)[EI_VERSION] != EV_CURRENT || model.header.version != EV_CURRENT)
    return malformed("the ELF version is not 1");
  if (model.header.ehsize != bytes->size())
    return malformed("invalid ELF header size: " + std::to_string(model.header.ehsize) +
                     " bytes instead of " + std::to_string(bytes->size()));
  if (model.header.type != ET_DYN && model.header.type != ET_EXEC)
    return fail(ErrorCode::NotALibrary, "is neither a shared library nor a program: ELF type " +
                                            std::to_string(model.header.type));
  return llvm::Error::success();
}

/// What every loader requires of a PT_LOAD segment. Whole pages are mapped, so address and file
/// offset must be equal modulo the smallest page size. Before 2.35, glibc required them to be equal
/// modulo p_align, which may be larger; later versions and musl do not.
llvm::Error checkLoad(const Segment& segment, uint64_t previousEnd, Flavor flavor) {
  std::string name = "the segment at address " + hex(segment.vaddr);
  if (segment.filesz > segment.memsz)
    return malformed(name + " has more bytes in the file than in memory");
  if (segment.vaddr > flavor.limit() - segment.memsz)
    return malformed(name + " extends past the end of the address space");
  if (segment.vaddr < previousEnd)
    return malformed(name + " overlaps the one before it or is out of order");
  if (segment.align > 1 && !llvm::isPowerOf2_64(segment.align))
    return malformed(name + " has an invalid alignment: " + hex(segment.align) +
                     " is not a power of two");
  if ((segment.vaddr - segment.offset) % std::clamp<uint64_t>(segment.align, 1, kLeastPage))
    return malformed(name + " and its file offset " + hex(segment.offset) +
                     " differ modulo the page size");
  return llvm::Error::success();
}

llvm::Error readProgramHeaders(Model& model) {
  const FileHeader& header = model.header;
  if (header.phnum == 0)
    return malformed("no program headers: no loader can load the file");
  if (header.phnum == kTooManySegments)
    return malformed("65535 program headers: no loader accepts that many");
  if (header.phentsize != segmentSize(model.flavor))
    return malformed("invalid program header size: " + std::to_string(header.phentsize) + " bytes");
  std::optional<Bytes> table =
      model.source->read(header.phoff, header.phnum * uint64_t(header.phentsize));
  if (!table)
    return malformed("the program headers extend past the end of the file");
  model.segments = readSegments(model.flavor, *table);

  uint64_t previousEnd = 0;
  bool hasLoad = false;
  for (const auto& [index, segment] : llvm::enumerate(model.segments)) {
    if (segment.type == PT_NULL)
      continue;
    if (!fits(segment.offset, segment.filesz, model.source->size()))
      return malformed("segment " + std::to_string(index) +
                       " extends past the end of the file: " + hex(segment.offset) + " + " +
                       hex(segment.filesz) + " of " + hex(model.source->size()));
    if (segment.type == PT_PHDR && (segment.offset != header.phoff || hasLoad))
      return malformed("PT_PHDR does not describe the program headers");
    if (segment.type == PT_DYNAMIC) {
      if (model.dynamicSegment)
        return malformed("more than one PT_DYNAMIC segment");
      model.dynamicSegment = index;
    }
    if (segment.type != PT_LOAD)
      continue;
    if (llvm::Error error = checkLoad(segment, previousEnd, model.flavor))
      return error;
    previousEnd = segment.vaddr + segment.memsz;
    hasLoad = true;
  }
  if (!hasLoad)
    return malformed("no PT_LOAD segment");
  return llvm::Error::success();
}

llvm::Error readSectionHeaders(Model& model) {
  const FileHeader& header = model.header;
  if (header.shoff == 0) {
    if (header.shnum != 0)
      return malformed(std::to_string(header.shnum) + " section headers, but their offset is 0");
    return llvm::Error::success();
  }
  uint64_t size = sectionSize(model.flavor);
  if (header.shentsize != size)
    return malformed("invalid section header size: " + std::to_string(header.shentsize) + " bytes");
  std::optional<Bytes> first = model.source->read(header.shoff, size);
  if (!first)
    return malformed("the section headers extend past the end of the file");
  // gABI: with 65280 sections or more, their number is the size in the first header.
  uint64_t count = header.shnum ? header.shnum : readSections(model.flavor, *first)[0].size;
  if (count > kMostRecords)
    return malformed("there are " + std::to_string(count) + " section headers");
  std::optional<Bytes> table;
  if (count <= model.source->size() / size)
    table = model.source->read(header.shoff, count * size);
  if (!table)
    return malformed("the section headers extend past the end of the file");
  model.sections = readSections(model.flavor, *table);
  for (const auto& [index, section] : llvm::enumerate(model.sections)) {
    bool hasBytes = section.type != SHT_NOBITS && section.type != SHT_NULL;
    if (hasBytes && !fits(section.offset, section.size, model.source->size()))
      return malformed("section " + std::to_string(index) + " extends past the end of the file");
    if (section.link >= count)
      return malformed("section " + std::to_string(index) + " refers to section " +
                       std::to_string(section.link) + " of " + std::to_string(count));
  }
  if (header.shstrndx != SHN_XINDEX && header.shstrndx >= count)
    return malformed("the section names are in section " + std::to_string(header.shstrndx) +
                     " of " + std::to_string(count));
  return llvm::Error::success();
}

llvm::Error checkEnd(Model& model) {
  uint64_t described = model.header.shoff + model.sections.size() * sectionSize(model.flavor);
  for (const Segment& segment : model.segments)
    if (segment.type != PT_NULL)
      described = std::max(described, segment.offset + segment.filesz);
  for (const Section& section : model.sections)
    if (section.type != SHT_NOBITS && section.type != SHT_NULL)
      described = std::max(described, section.offset + section.size);
  return checkAppended(model.source->size(), described);
}

llvm::Error readStrings(Model& model) {
  std::optional<uint64_t> address = model.find(DT_STRTAB), size = model.find(DT_STRSZ);
  if (address && size) {
    std::optional<uint64_t> offset = model.offsetOf(*address, *size);
    if (!offset || *size == 0)
      return malformed("the dynamic string table (address " + hex(*address) + ", " +
                       std::to_string(*size) + " bytes) is not in a segment");
    Bytes bytes = *model.source->read(*offset, *size);
    if (bytes.front() != 0 || bytes.back() != 0)
      return malformed("the dynamic string table does not start and end with a zero byte");
    model.strings = DynamicStrings{*address, *offset, bytes};
  }
  for (const DynamicEntry& entry : model.entries())
    if (isText(entry.tag) && (!model.strings || entry.value >= model.strings->bytes.size()))
      return malformed("dynamic entry " + hex(entry.tag) + " refers to offset " + hex(entry.value) +
                       ", past the end of the dynamic string table");
  return llvm::Error::success();
}

llvm::Error readDynamicSection(Model& model) {
  if (!model.dynamicSegment)
    return llvm::Error::success();
  const Segment& segment = model.segments[*model.dynamicSegment];
  if (model.offsetOf(segment.vaddr, segment.filesz) != segment.offset)
    return malformed("PT_DYNAMIC (address " + hex(segment.vaddr) + ", file offset " +
                     hex(segment.offset) + ") is not in a PT_LOAD segment");
  uint64_t size = dynamicSize(model.flavor);
  if (segment.filesz % size || segment.offset % model.flavor.wordSize())
    return malformed("PT_DYNAMIC is not a whole number of aligned entries");
  if (segment.filesz / size > kMostRecords)
    return malformed("PT_DYNAMIC has " + std::to_string(segment.filesz / size) + " entries");
  model.dynamic = readDynamic(model.flavor, *model.source->read(segment.offset, segment.filesz));
  while (model.usedSlots < model.dynamic.size() && model.dynamic[model.usedSlots].tag != DT_NULL)
    ++model.usedSlots;
  if (model.usedSlots == model.dynamic.size())
    return malformed("the dynamic section has no DT_NULL at its end");
  return readStrings(model);
}

} // namespace

llvm::Expected<Model> Model::read(const Source& source) {
  Model model;
  model.source = &source;
  for (auto* step :
       {readFileHeader, readProgramHeaders, readSectionHeaders, checkEnd, readDynamicSection})
    if (llvm::Error error = step(model))
      return error;
  return model;
}

std::optional<uint64_t> Model::find(uint64_t tag) const {
  for (const DynamicEntry& entry : llvm::reverse(entries()))
    if (entry.tag == tag)
      return entry.value;
  return std::nullopt;
}

llvm::StringRef Model::text(uint64_t offset) const {
  return reinterpret_cast<const char*>(strings->bytes.data() + offset);
}

std::optional<uint64_t> Model::offsetOf(uint64_t address, uint64_t length) const {
  for (const Segment& segment : segments)
    if (segment.type == PT_LOAD && address >= segment.vaddr &&
        fits(address - segment.vaddr, length, segment.filesz))
      return segment.offset + (address - segment.vaddr);
  return std::nullopt;
}

std::optional<Bytes> Model::readAt(uint64_t address, uint64_t length) const {
  std::optional<uint64_t> offset = offsetOf(address, length);
  return offset ? source->read(*offset, length) : std::nullopt;
}

Bytes Model::readFrom(uint64_t address) const {
  for (const Segment& segment : segments)
    if (segment.type == PT_LOAD && address >= segment.vaddr &&
        address - segment.vaddr < segment.filesz) {
      uint64_t into = address - segment.vaddr;
      return source->read(segment.offset + into, segment.filesz - into).value_or(Bytes());
    }
  return {};
}

std::optional<size_t> Model::findSection(uint32_t type, uint64_t address) const {
  for (const auto& [index, section] : llvm::enumerate(sections))
    if (section.type == type && section.addr == address)
      return index;
  return std::nullopt;
}

bool isText(uint64_t tag) {
  switch (tag) {
  case DT_NEEDED:
  case DT_SONAME:
  case DT_RPATH:
  case DT_RUNPATH:
  case DT_AUXILIARY:
  case DT_FILTER:
  case 0x6ffffefa: // DT_CONFIG
  case 0x6ffffefb: // DT_DEPAUDIT
  case 0x6ffffefc: // DT_AUDIT
    return true;
  default:
    return false;
  }
}

bool isAddress(uint64_t tag) {
  switch (tag) {
  case DT_PLTGOT:
  case DT_HASH:
  case DT_STRTAB:
  case DT_SYMTAB:
  case DT_RELA:
  case DT_INIT:
  case DT_FINI:
  case DT_REL:
  case DT_JMPREL:
  case DT_INIT_ARRAY:
  case DT_FINI_ARRAY:
  case DT_PREINIT_ARRAY:
  case DT_RELR:
  case DT_GNU_HASH:
  case DT_TLSDESC_PLT:
  case DT_TLSDESC_GOT:
  case DT_VERSYM:
  case DT_VERDEF:
  case DT_VERNEED:
    return true;
  default:
    return false;
  }
}

llvm::Error malformed(std::string message) {
  return fail(ErrorCode::Malformed, std::move(message),
              "the file is corrupt; reinstall the package");
}

std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

} // namespace tcfix::elf
