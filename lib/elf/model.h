// Model: what the loader sees of an ELF file, read and bounded.
//
// Reading follows the loader: program headers, then PT_DYNAMIC, then what its entries point to.
// Section headers are read for the tools' sake and are not needed. A Model exists only for a file
// whose headers agree with one another and with the bytes that are there (System V gABI, chapters 4
// and 5; the checks of glibc's elf/dl-load.c and Linux's fs/binfmt_elf.c); anything else is
// Malformed. Object files and core dumps are refused.
#pragma once

#include "elf/records.h"
#include "elf/source.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

namespace tcfix::elf {

/// PN_XNUM in <elf.h>: the real number is elsewhere, and no loader looks there.
constexpr uint16_t kTooManySegments = 0xffff;

/// No loader maps in smaller units.
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
  std::vector<DynamicEntry> dynamic;    ///< every slot of PT_DYNAMIC, spare ones too
  size_t usedSlots = 0;                 ///< those before the first DT_NULL
  std::optional<DynamicStrings> strings;
  const Source* source = nullptr;

  /// `source` must outlive the model.
  static llvm::Expected<Model> read(const Source& source);

  /// The slots that the loader reads.
  llvm::ArrayRef<DynamicEntry> entries() const {
    return llvm::ArrayRef<DynamicEntry>(dynamic).take_front(usedSlots);
  }
  /// An entry's value. Of several the last counts, as it does for glibc.
  std::optional<uint64_t> find(uint64_t tag) const;
  /// The text at an offset of the string table; the offset must lie inside.
  llvm::StringRef text(uint64_t offset) const;

  /// Where a mapped range lies in the file; nothing if the file does not hold all of it.
  std::optional<uint64_t> offsetOf(uint64_t address, uint64_t length) const;
  /// The bytes of a mapped range; nothing if the file does not hold all of it.
  std::optional<Bytes> readAt(uint64_t address, uint64_t length) const;

  /// The file's bytes from an address to the end of its segment's.
  Bytes readFrom(uint64_t address) const;

  /// The section that starts at `address` and has that type.
  std::optional<size_t> findSection(uint32_t type, uint64_t address) const;
};

/// True for the entries whose value is an offset into the string table.
bool isText(uint64_t tag);

/// True for the entries whose value is an address, as far as their kind is known.
bool isAddress(uint64_t tag);

/// How many dynamic symbols there are; nothing when the file does not say.
llvm::Expected<std::optional<uint64_t>> countSymbols(const Model& model);
/// The symbol table's bytes: countSymbols() records, or none. All names lie in the string table.
llvm::Expected<Bytes> symbolBytes(const Model& model);

/// The error for a file whose bytes contradict themselves.
llvm::Error malformed(std::string message);

/// A number as people read it in headers: 0x1f.
std::string hex(uint64_t value);

} // namespace tcfix::elf
