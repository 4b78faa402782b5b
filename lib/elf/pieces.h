// Pieces: the parts of a file that can get a new place, because everything that refers to them is
// known.
#pragma once

#include "elf/layout.h"

namespace tcfix::elf {

/// The dynamic section with `slots` entries; it is written anew, not copied.
Piece dynamicPiece(const Model& model, uint64_t slots);
/// The string table with `size` bytes.
Piece stringsPiece(const Model& model, uint64_t size);

/// True when everything that refers to the section is known, so that a copy can take its place.
bool canMove(const Model& model, const Section& section);
/// The section as it is; it must be one that can move.
Piece pieceOf(const Model& model, const Section& section);

/// True when a piece of the layout comes from this place.
bool isMoving(const Layout& layout, uint64_t offset);
/// What else must move so that nothing in the segment is referred to any more; nothing if that
/// cannot be.
std::optional<std::vector<Piece>> restOf(const Model& model, const Layout& layout,
                                         const Segment& segment);

bool overlaps(uint64_t offset, uint64_t size, const Segment& segment);
/// True when [begin, end) of the file is short, zero, and no section's.
bool holdsOnlyPadding(const Model& model, uint64_t begin, uint64_t end);

} // namespace tcfix::elf
