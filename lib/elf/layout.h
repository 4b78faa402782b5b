// Where things go when they do not fit where they are.
//
// In this order: the string table grows at the end of the last segment, if that ends the file (it
// does after an earlier edit); what grows is copied to the end of the file, into the last segment
// if that ends the file, else into a segment of its own. The new segment's program header is, in
// this order, that of an older copy of the string table, an unused one, that of the least valuable
// PT_NOTE, or a new one behind the others; what stands in the way of that one is copied as well.
//
// Nothing that is left behind moves, so that no address in code or data changes. The program
// headers stay at their place and the copies are covered by their section headers: that is what
// `strip` needs to keep the file in order.
#pragma once

#include "elf/model.h"

namespace tcfix::elf {

/// A part of the file that gets a new place at its end.
struct Piece {
  uint64_t oldOffset = 0;
  uint64_t oldSize = 0;
  uint64_t oldAddress = 0;
  uint64_t newSize = 0;
  uint64_t align = 1;
  uint64_t tag = 0; ///< the dynamic entry that holds its address; 0 for the dynamic section
  uint32_t sectionType = 0;
  bool isCopied = true; ///< false for what is written anew
  std::string reason;
  uint64_t newOffset = 0;
  uint64_t newAddress = 0;
};

struct Layout {
  std::vector<Segment> segments;
  std::vector<Section> sections;
  std::vector<Piece> pieces;
  uint64_t fileSize = 0;
  std::string segmentReason; ///< why program headers change

  uint64_t stringsOffset = 0;
  uint64_t stringsAddress = 0;
  uint64_t stringsSize = 0;
  uint64_t dynamicOffset = 0;
  uint64_t dynamicAddress = 0;
  uint64_t dynamicSlots = 0;

  /// Where a byte that lies at `offset` of the old file is to be changed.
  uint64_t placeOf(uint64_t offset) const;
};

/// `slots` counts the used ones, without the DT_NULL at the end.
llvm::Expected<Layout> planLayout(const Model& model, uint64_t stringsSize, uint64_t slots);

} // namespace tcfix::elf
