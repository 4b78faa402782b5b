// The records of an ELF file, independent of class and byte order.
//
// ELF comes in four flavors: 32 or 64 bits, little or big endian. LLVM has on-disk types for each;
// here they are converted to one set of plain values and back, so that all other code is written
// once. 32-bit fields are written from 64-bit values: the code that computes an address or an
// offset checks that it fits the flavor.
#pragma once

#include "base/bytes.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/BinaryFormat/ELF.h>

namespace tcfix::elf {

struct Flavor {
  bool is64 = true;
  bool isLittle = true;

  uint64_t wordSize() const { return is64 ? 8 : 4; }
  /// The largest possible address or offset.
  uint64_t limit() const { return is64 ? UINT64_MAX : UINT32_MAX; }

  uint16_t read16(const uint8_t* bytes) const;
  uint32_t read32(const uint8_t* bytes) const;
  uint64_t read64(const uint8_t* bytes) const;
  ByteVector write32(uint32_t value) const;
  ByteVector writeWord(uint64_t value) const; ///< an address of the flavor's size
};

struct FileHeader {
  uint16_t type = 0;
  uint16_t machine = 0;
  uint32_t version = 0;
  uint64_t entry = 0;
  uint64_t phoff = 0;
  uint64_t shoff = 0;
  uint16_t ehsize = 0;
  uint16_t phentsize = 0;
  uint16_t phnum = 0;
  uint16_t shentsize = 0;
  uint16_t shnum = 0;
  uint16_t shstrndx = 0;
};

struct Segment {
  uint32_t type = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t vaddr = 0;
  uint64_t paddr = 0;
  uint64_t filesz = 0;
  uint64_t memsz = 0;
  uint64_t align = 0;
};

struct Section {
  uint32_t name = 0;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t addr = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t addralign = 0;
  uint64_t entsize = 0;
};

struct DynamicEntry {
  uint64_t tag = 0;
  uint64_t value = 0;
};

struct Symbol {
  uint32_t name = 0;
  uint8_t info = 0;
  uint8_t other = 0;
  uint16_t shndx = 0;
  uint64_t value = 0;

  uint8_t binding() const { return info >> 4; }
  uint8_t visibility() const { return other & 3; }
};

/// The size of a record in the file.
uint64_t headerSize(Flavor flavor);
uint64_t segmentSize(Flavor flavor);
uint64_t sectionSize(Flavor flavor);
uint64_t dynamicSize(Flavor flavor);
uint64_t symbolSize(Flavor flavor);
/// The offset of the value in a symbol's record.
uint64_t symbolValueAt(Flavor flavor);

/// `bytes` must contain the whole record.
FileHeader readHeader(Flavor flavor, Bytes bytes);
/// As many records as `bytes` contains.
std::vector<Segment> readSegments(Flavor flavor, Bytes bytes);
std::vector<Section> readSections(Flavor flavor, Bytes bytes);
std::vector<DynamicEntry> readDynamic(Flavor flavor, Bytes bytes);
/// Calls `visit` for each symbol. They are never stored: a library may have a million.
void forEachSymbol(Flavor flavor, Bytes bytes,
                   llvm::function_ref<void(size_t index, const Symbol&)> visit);

ByteVector encode(Flavor flavor, const FileHeader& header, Bytes original);
ByteVector encode(Flavor flavor, const Segment& segment);
ByteVector encode(Flavor flavor, const Section& section);
ByteVector encode(Flavor flavor, const DynamicEntry& entry);

} // namespace tcfix::elf
