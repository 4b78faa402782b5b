// Decides where data goes that does not fit in place.
//
// First choice: the string table grows in place, if it is at the end of the last segment and of the
// file (as after an earlier edit). Otherwise, what grows is copied to the end of the file: into the
// last segment if that is at the end of the file, else into a new segment. The new segment takes
// the program header of an older copy of the string table, else an unused one, else that of the
// least valuable PT_NOTE, else a new one after the others; data in the way of that one is copied as
// well.
//
// Everything else stays in place, so that no address in code or data changes. The program headers
// do not move, and section headers point to the copies: `strip` needs both to keep the file intact.
#pragma once

#include "elf/model.h"

namespace tcfix::elf {

/// A part of the file that moves to its end.
struct Piece {
  uint64_t oldOffset = 0;
  uint64_t oldSize = 0;
  uint64_t oldAddress = 0;
  uint64_t newSize = 0;
  uint64_t align = 1;
  uint64_t tag = 0; ///< the dynamic entry that holds its address; 0 for the dynamic section
  uint32_t sectionType = 0;
  bool isCopied = true; ///< false: written from scratch
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

  /// The new offset of the byte at `offset` of the old file.
  uint64_t placeOf(uint64_t offset) const;
};

/// `slots` does not include the DT_NULL at the end.
llvm::Expected<Layout> planLayout(const Model& model, uint64_t stringsSize, uint64_t slots);

} // namespace tcfix::elf
