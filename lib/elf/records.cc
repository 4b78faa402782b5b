#include "elf/records.h"

#include <llvm/Object/ELFTypes.h>
#include <llvm/Support/Endian.h>

#include <cstddef>
#include <cstring>

namespace tcfix::elf {

namespace {

using llvm::object::ELF32BE;
using llvm::object::ELF32LE;
using llvm::object::ELF64BE;
using llvm::object::ELF64LE;

/// Calls `body` with a value of LLVM's type for the flavor.
template <class Body>
auto withTypes(Flavor flavor, Body body) {
  if (flavor.is64)
    return flavor.isLittle ? body(ELF64LE()) : body(ELF64BE());
  return flavor.isLittle ? body(ELF32LE()) : body(ELF32BE());
}

template <class Disk>
Segment segmentFrom(const Disk& disk) {
  return {disk.p_type,  disk.p_flags,  disk.p_offset, disk.p_vaddr,
          disk.p_paddr, disk.p_filesz, disk.p_memsz,  disk.p_align};
}

template <class Disk>
Section sectionFrom(const Disk& disk) {
  return {disk.sh_name, disk.sh_type, disk.sh_flags, disk.sh_addr,      disk.sh_offset,
          disk.sh_size, disk.sh_link, disk.sh_info,  disk.sh_addralign, disk.sh_entsize};
}

template <class Disk>
DynamicEntry dynamicFrom(const Disk& disk) {
  // Tags are signed words; processor-specific ones would be negative in 32 bits.
  if constexpr (sizeof(disk.d_tag) == 4)
    return {static_cast<uint32_t>(disk.d_tag), disk.d_un.d_val};
  else
    return {static_cast<uint64_t>(disk.d_tag), disk.d_un.d_val};
}

template <class Disk, class Value, class Convert>
std::vector<Value> readAll(Bytes bytes, Convert convert) {
  const auto* records = reinterpret_cast<const Disk*>(bytes.data());
  std::vector<Value> values;
  values.reserve(bytes.size() / sizeof(Disk));
  for (size_t i = 0; i < bytes.size() / sizeof(Disk); ++i)
    values.push_back(convert(records[i]));
  return values;
}

template <class Disk>
ByteVector bytesOfRecord(const Disk& disk) {
  const auto* begin = reinterpret_cast<const uint8_t*>(&disk);
  return {begin, begin + sizeof disk};
}

} // namespace

uint16_t Flavor::read16(const uint8_t* bytes) const {
  return isLittle ? llvm::support::endian::read16le(bytes) : llvm::support::endian::read16be(bytes);
}

uint32_t Flavor::read32(const uint8_t* bytes) const {
  return isLittle ? llvm::support::endian::read32le(bytes) : llvm::support::endian::read32be(bytes);
}

uint64_t Flavor::read64(const uint8_t* bytes) const {
  return isLittle ? llvm::support::endian::read64le(bytes) : llvm::support::endian::read64be(bytes);
}

ByteVector Flavor::write32(uint32_t value) const {
  ByteVector bytes(sizeof value);
  if (isLittle)
    llvm::support::endian::write32le(bytes.data(), value);
  else
    llvm::support::endian::write32be(bytes.data(), value);
  return bytes;
}

ByteVector Flavor::writeWord(uint64_t value) const {
  if (!is64)
    return write32(value);
  ByteVector bytes(sizeof value);
  if (isLittle)
    llvm::support::endian::write64le(bytes.data(), value);
  else
    llvm::support::endian::write64be(bytes.data(), value);
  return bytes;
}

uint64_t headerSize(Flavor flavor) {
  return withTypes(flavor, [](auto elf) { return sizeof(typename decltype(elf)::Ehdr); });
}

uint64_t segmentSize(Flavor flavor) {
  return withTypes(flavor, [](auto elf) { return sizeof(typename decltype(elf)::Phdr); });
}

uint64_t sectionSize(Flavor flavor) {
  return withTypes(flavor, [](auto elf) { return sizeof(typename decltype(elf)::Shdr); });
}

uint64_t dynamicSize(Flavor flavor) {
  return withTypes(flavor, [](auto elf) { return sizeof(typename decltype(elf)::Dyn); });
}

uint64_t symbolSize(Flavor flavor) {
  return withTypes(flavor, [](auto elf) { return sizeof(typename decltype(elf)::Sym); });
}

uint64_t symbolValueAt(Flavor flavor) {
  return withTypes(flavor,
                   [](auto elf) { return offsetof(typename decltype(elf)::Sym, st_value); });
}

FileHeader readHeader(Flavor flavor, Bytes bytes) {
  return withTypes(flavor, [&](auto elf) -> FileHeader {
    const auto& disk = *reinterpret_cast<const typename decltype(elf)::Ehdr*>(bytes.data());
    return {disk.e_type,  disk.e_machine,   disk.e_version, disk.e_entry,
            disk.e_phoff, disk.e_shoff,     disk.e_ehsize,  disk.e_phentsize,
            disk.e_phnum, disk.e_shentsize, disk.e_shnum,   disk.e_shstrndx};
  });
}

std::vector<Segment> readSegments(Flavor flavor, Bytes bytes) {
  return withTypes(flavor, [&](auto elf) {
    using Disk = typename decltype(elf)::Phdr;
    return readAll<Disk, Segment>(bytes, segmentFrom<Disk>);
  });
}

std::vector<Section> readSections(Flavor flavor, Bytes bytes) {
  return withTypes(flavor, [&](auto elf) {
    using Disk = typename decltype(elf)::Shdr;
    return readAll<Disk, Section>(bytes, sectionFrom<Disk>);
  });
}

std::vector<DynamicEntry> readDynamic(Flavor flavor, Bytes bytes) {
  return withTypes(flavor, [&](auto elf) {
    using Disk = typename decltype(elf)::Dyn;
    return readAll<Disk, DynamicEntry>(bytes, dynamicFrom<Disk>);
  });
}

void forEachSymbol(Flavor flavor, Bytes bytes,
                   llvm::function_ref<void(size_t index, const Symbol&)> visit) {
  withTypes(flavor, [&](auto elf) {
    using Disk = typename decltype(elf)::Sym;
    const auto* records = reinterpret_cast<const Disk*>(bytes.data());
    for (size_t i = 0; i < bytes.size() / sizeof(Disk); ++i)
      visit(i, {records[i].st_name, records[i].st_info, records[i].st_other, records[i].st_shndx,
                records[i].st_value});
  });
}

ByteVector encode(Flavor flavor, const FileHeader& header, Bytes original) {
  return withTypes(flavor, [&](auto elf) {
    typename decltype(elf)::Ehdr disk;
    std::memcpy(&disk, original.data(), sizeof disk);
    disk.e_phnum = header.phnum;
    return bytesOfRecord(disk);
  });
}

ByteVector encode(Flavor flavor, const Segment& segment) {
  return withTypes(flavor, [&](auto elf) {
    typename decltype(elf)::Phdr disk;
    disk.p_type = segment.type;
    disk.p_flags = segment.flags;
    disk.p_offset = segment.offset;
    disk.p_vaddr = segment.vaddr;
    disk.p_paddr = segment.paddr;
    disk.p_filesz = segment.filesz;
    disk.p_memsz = segment.memsz;
    disk.p_align = segment.align;
    return bytesOfRecord(disk);
  });
}

ByteVector encode(Flavor flavor, const Section& section) {
  return withTypes(flavor, [&](auto elf) {
    typename decltype(elf)::Shdr disk;
    disk.sh_name = section.name;
    disk.sh_type = section.type;
    disk.sh_flags = section.flags;
    disk.sh_addr = section.addr;
    disk.sh_offset = section.offset;
    disk.sh_size = section.size;
    disk.sh_link = section.link;
    disk.sh_info = section.info;
    disk.sh_addralign = section.addralign;
    disk.sh_entsize = section.entsize;
    return bytesOfRecord(disk);
  });
}

ByteVector encode(Flavor flavor, const DynamicEntry& entry) {
  return withTypes(flavor, [&](auto elf) {
    typename decltype(elf)::Dyn disk;
    disk.d_tag = entry.tag;
    disk.d_un.d_val = entry.value;
    return bytesOfRecord(disk);
  });
}

} // namespace tcfix::elf
