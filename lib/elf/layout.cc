#include "elf/layout.h"

#include "elf/appended_segment.h"
#include "elf/pieces.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

/// As many as GNU ld leaves, so that later edits have allocator.
constexpr uint64_t kSpareSlots = 4;

Layout unchangedLayout(const Model& model) {
  Layout layout;
  layout.segments = model.segments;
  layout.sections = model.sections;
  layout.fileSize = model.source->size();
  layout.stringsOffset = model.strings->offset;
  layout.stringsAddress = model.strings->address;
  layout.stringsSize = model.strings->bytes.size();
  const Segment& dynamic = model.segments[*model.dynamicSegment];
  layout.dynamicOffset = dynamic.offset;
  layout.dynamicAddress = dynamic.vaddr;
  layout.dynamicSlots = model.dynamic.size();
  return layout;
}

/// If the string table is at the end of the last segment and of the file, it can grow in place.
bool growStringsInPlace(const Model& model, Layout& layout, uint64_t size) {
  std::optional<size_t> last = findSegmentAtEnd(model);
  if (!last)
    return false;
  Segment& segment = layout.segments[*last];
  uint64_t end = layout.stringsOffset + layout.stringsSize;
  if (!holdsOnlyPadding(model, end, segment.offset + segment.filesz) ||
      layout.stringsOffset < segment.offset)
    return false;
  uint64_t grown = std::max(segment.filesz, layout.stringsOffset + size - segment.offset);
  if (segment.vaddr > model.flavor.limit() - grown)
    return false;
  segment.filesz = segment.memsz = grown;
  layout.fileSize = segment.offset + grown;
  layout.stringsSize = size;
  layout.segmentReason = "the last segment grows with the string table";
  return true;
}

/// Updates section headers, other segments and the layout's own fields for the moved pieces.
void updateReferences(const Model& model, Layout& layout) {
  for (const Piece& piece : layout.pieces) {
    for (Section& section : layout.sections)
      if (section.type == piece.sectionType && section.addr == piece.oldAddress) {
        section.addr = piece.newAddress;
        section.offset = piece.newOffset;
        section.size = piece.newSize;
      }
    uint32_t follower = piece.sectionType == SHT_DYNAMIC    ? PT_DYNAMIC
                        : piece.sectionType == SHT_PROGBITS ? PT_INTERP
                                                            : PT_NULL;
    for (Segment& segment : layout.segments)
      if (follower != PT_NULL && segment.type == follower) {
        segment.offset = piece.newOffset;
        segment.vaddr = segment.paddr = piece.newAddress;
        segment.filesz = segment.memsz = piece.newSize;
      }
    if (piece.tag == DT_STRTAB) {
      layout.stringsOffset = piece.newOffset;
      layout.stringsAddress = piece.newAddress;
      layout.stringsSize = piece.newSize;
    } else if (piece.sectionType == SHT_DYNAMIC) {
      layout.dynamicOffset = piece.newOffset;
      layout.dynamicAddress = piece.newAddress;
      layout.dynamicSlots = piece.newSize / dynamicSize(model.flavor);
    }
  }
}

} // namespace

uint64_t Layout::placeOf(uint64_t offset) const {
  for (const Piece& piece : pieces)
    if (offset >= piece.oldOffset && offset - piece.oldOffset < piece.oldSize)
      return piece.newOffset + (offset - piece.oldOffset);
  return offset;
}

llvm::Expected<Layout> planLayout(const Model& model, uint64_t stringsSize, uint64_t slots) {
  Layout layout = unchangedLayout(model);
  bool needsSlots = slots + 1 > layout.dynamicSlots;
  bool needsStrings = stringsSize > layout.stringsSize;
  if (!needsSlots && !needsStrings)
    return layout;
  if (!needsSlots && growStringsInPlace(model, layout, stringsSize)) {
    if (std::optional<size_t> section = model.findSection(SHT_STRTAB, layout.stringsAddress))
      layout.sections[*section].size = stringsSize;
    return layout;
  }
  if (needsSlots)
    layout.pieces.push_back(dynamicPiece(model, slots + 1 + kSpareSlots));
  // The string table goes last, so that later edits can grow it in place.
  if (needsStrings)
    layout.pieces.push_back(stringsPiece(model, stringsSize));
  if (llvm::Error error = placeAtEnd(model, layout))
    return error;
  updateReferences(model, layout);
  return layout;
}

} // namespace tcfix::elf
