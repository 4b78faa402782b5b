#include "elf/pieces.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

/// The tag of the dynamic entry with the address of a section of this type.
uint64_t tagFor(uint32_t sectionType) {
  switch (sectionType) {
  case SHT_HASH:
    return DT_HASH;
  case SHT_GNU_HASH:
    return DT_GNU_HASH;
  case SHT_DYNSYM:
    return DT_SYMTAB;
  case SHT_STRTAB:
    return DT_STRTAB;
  case SHT_GNU_versym:
    return DT_VERSYM;
  case SHT_GNU_verneed:
    return DT_VERNEED;
  case SHT_GNU_verdef:
    return DT_VERDEF;
  default:
    return DT_NULL;
  }
}

/// The type of the segment that covers a section of this type.
uint32_t segmentFor(uint32_t sectionType) {
  switch (sectionType) {
  case SHT_PROGBITS:
    return PT_INTERP;
  case SHT_DYNAMIC:
    return PT_DYNAMIC;
  default:
    return PT_NULL;
  }
}

} // namespace

Piece dynamicPiece(const Model& model, uint64_t slots) {
  const Segment& segment = model.segments[*model.dynamicSegment];
  Piece piece;
  piece.oldOffset = segment.offset;
  piece.oldAddress = segment.vaddr;
  piece.oldSize = segment.filesz;
  piece.newSize = slots * dynamicSize(model.flavor);
  piece.align = model.flavor.wordSize();
  piece.sectionType = SHT_DYNAMIC;
  piece.isCopied = false;
  piece.reason = "dynamic section";
  return piece;
}

Piece stringsPiece(const Model& model, uint64_t size) {
  Piece piece;
  piece.oldOffset = model.strings->offset;
  piece.oldAddress = model.strings->address;
  piece.oldSize = model.strings->bytes.size();
  piece.newSize = size;
  piece.tag = DT_STRTAB;
  piece.sectionType = SHT_STRTAB;
  piece.reason = "copy of the dynamic string table with more room";
  return piece;
}

bool canMove(const Model& model, const Section& section) {
  constexpr uint64_t kMaxSectionAlignment = 64; // at most 8 in practice
  if (section.addralign > kMaxSectionAlignment || (section.addralign & (section.addralign - 1)))
    return false;
  if (uint32_t type = segmentFor(section.type); type != PT_NULL)
    return llvm::any_of(model.segments, [&](const Segment& segment) {
      return segment.type == type && segment.offset == section.offset &&
             segment.filesz == section.size;
    });
  uint64_t tag = tagFor(section.type);
  return tag != DT_NULL && model.find(tag) == section.addr;
}

Piece pieceOf(const Model& model, const Section& section) {
  if (section.type == SHT_DYNAMIC)
    return dynamicPiece(model, model.dynamic.size());
  Piece piece;
  piece.oldOffset = section.offset;
  piece.oldAddress = section.addr;
  piece.oldSize = piece.newSize = section.size;
  piece.align = std::max<uint64_t>(section.addralign, 1);
  piece.tag = tagFor(section.type);
  piece.sectionType = section.type;
  piece.reason = "copy of a section, to make room";
  return piece;
}

bool isMoving(const Layout& layout, uint64_t offset) {
  return llvm::any_of(layout.pieces, [&](const Piece& piece) { return piece.oldOffset == offset; });
}

std::optional<std::vector<Piece>> restOf(const Model& model, const Layout& layout,
                                         const Segment& segment) {
  if (overlaps(0, headerSize(model.flavor), segment) || overlaps(model.header.phoff, 1, segment))
    return std::nullopt;
  if (model.sections.empty()) { // only the extent of a piece is known
    bool isFilled = llvm::any_of(layout.pieces, [&](const Piece& piece) {
      return segment.offset == piece.oldOffset &&
             holdsOnlyPadding(model, piece.oldOffset + piece.oldSize,
                              segment.offset + segment.filesz);
    });
    return isFilled ? std::make_optional<std::vector<Piece>>() : std::nullopt;
  }
  Layout all = layout;
  std::vector<Piece> rest;
  for (const Section& section : model.sections) {
    if (section.type == SHT_NOBITS || !(section.flags & SHF_ALLOC) ||
        !overlaps(section.offset, section.size, segment) || isMoving(all, section.offset))
      continue;
    if (!canMove(model, section))
      return std::nullopt;
    rest.push_back(pieceOf(model, section));
    all.pieces.push_back(rest.back());
  }
  for (const Segment& other : model.segments)
    if (other.type != PT_LOAD && other.type != PT_NULL && !isMoving(all, other.offset) &&
        overlaps(other.offset, other.filesz, segment))
      return std::nullopt;
  for (const DynamicEntry& entry : model.entries()) {
    bool isInside = isAddress(entry.tag) && entry.value >= segment.vaddr &&
                    entry.value - segment.vaddr < segment.memsz;
    if (isInside && !isMoving(all, segment.offset + (entry.value - segment.vaddr)))
      return std::nullopt;
  }
  return rest;
}

bool overlaps(uint64_t offset, uint64_t size, const Segment& segment) {
  return size && offset < segment.offset + segment.filesz && offset + size > segment.offset;
}

bool holdsOnlyPadding(const Model& model, uint64_t begin, uint64_t end) {
  constexpr uint64_t kLongest = 16;
  if (begin > end || end - begin > kLongest)
    return false;
  Bytes bytes = *model.source->read(begin, end - begin);
  bool isFree = llvm::none_of(model.sections, [&](const Section& section) {
    return section.type != SHT_NOBITS && section.size && section.offset < end &&
           section.offset + section.size > begin;
  });
  return isFree && llvm::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

} // namespace tcfix::elf
