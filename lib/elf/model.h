// Model: an ELF file as the loader sees it, bounds-checked.
//
// It is read as the loader does: program headers, then PT_DYNAMIC, then what its entries point to.
// Section headers are read for the sake of binary tools and are optional. A Model exists only for a
// file whose headers are consistent with one another and with the file's size (System V gABI,
// chapters 4 and 5; the checks of glibc's elf/dl-load.c and Linux's fs/binfmt_elf.c); anything else
// is Malformed. Object files and core dumps are rejected.
#pragma once

#include "elf/records.h"
#include "elf/source.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

namespace tcfix::elf {

/// PN_XNUM in <elf.h>: the real number is stored elsewhere, where no loader looks.
constexpr uint16_t kTooManySegments = 0xffff;

/// The smallest page size of any loader.
constexpr uint64_t kLeastPage = 0x1000;

/// The string table that the loader uses: DT_STRTAB and DT_STRSZ.
struct DynamicStrings {
  uint64_t address = 0;
  uint64_t offset = 0;
  Bytes bytes; ///< begins and ends with a zero byte
};

struct Model {
  Flavor flavor;
  FileHeader header;
  std::vector<Segment> segments;
  std::vector<Section> sections;
  std::optional<size_t> dynamicSegment; ///< absent in a static program
  std::vector<DynamicEntry> dynamic;    ///< every slot of PT_DYNAMIC, including spare ones
  size_t usedSlots = 0;                 ///< those before the first DT_NULL
  std::optional<DynamicStrings> strings;
  const Source* source = nullptr;

  /// `source` must outlive the model.
  static llvm::Expected<Model> read(const Source& source);

  /// The slots that the loader reads.
  llvm::ArrayRef<DynamicEntry> entries() const {
    return llvm::ArrayRef<DynamicEntry>(dynamic).take_front(usedSlots);
  }
  /// An entry's value. If there are several, the last one is used, as in glibc.
  std::optional<uint64_t> find(uint64_t tag) const;
  /// The string at an offset of the string table; the offset must be valid.
  llvm::StringRef text(uint64_t offset) const;

  /// The file offset of a mapped range; nothing if part of it is not in the file.
  std::optional<uint64_t> offsetOf(uint64_t address, uint64_t length) const;
  /// The bytes of a mapped range; nothing if part of it is not in the file.
  std::optional<Bytes> readAt(uint64_t address, uint64_t length) const;

  /// The file's bytes from an address to the end of its segment.
  Bytes readFrom(uint64_t address) const;

  /// The section that starts at `address` and has that type.
  std::optional<size_t> findSection(uint32_t type, uint64_t address) const;
};

/// True for the entries whose value is an offset into the string table.
bool isText(uint64_t tag);

/// True for the entries whose value is known to be an address.
bool isAddress(uint64_t tag);

/// The number of dynamic symbols; nothing if the file does not contain it.
llvm::Expected<std::optional<uint64_t>> countSymbols(const Model& model);
/// The symbol table's bytes: countSymbols() records, or none. All names are in the string table.
llvm::Expected<Bytes> symbolBytes(const Model& model);

/// The error for a corrupt file.
llvm::Error malformed(std::string message);

/// A number in hexadecimal: 0x1f.
std::string hex(uint64_t value);

} // namespace tcfix::elf
