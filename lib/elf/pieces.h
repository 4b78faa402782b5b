// Pieces: the parts of a file that can move, because all references to them are known.
#pragma once

#include "elf/layout.h"

namespace tcfix::elf {

/// The dynamic section with `slots` entries; it is written from scratch, not copied.
Piece dynamicPiece(const Model& model, uint64_t slots);
/// The string table with `size` bytes.
Piece stringsPiece(const Model& model, uint64_t size);

/// True if all references to the section are known, so that a copy can replace it.
bool canMove(const Model& model, const Section& section);
/// The section as a piece; canMove() must be true.
Piece pieceOf(const Model& model, const Section& section);

/// True if a piece of the layout comes from this offset.
bool isMoving(const Layout& layout, uint64_t offset);
/// What else has to move so that nothing refers to the segment any more; nothing if something in it
/// cannot move.
std::optional<std::vector<Piece>> restOf(const Model& model, const Layout& layout,
                                         const Segment& segment);

bool overlaps(uint64_t offset, uint64_t size, const Segment& segment);
/// True if [begin, end) of the file is short, zero, and not part of a section.
bool holdsOnlyPadding(const Model& model, uint64_t begin, uint64_t end);

} // namespace tcfix::elf
