// The segment at the end of the file that loads moved pieces.
#pragma once

#include "elf/layout.h"

namespace tcfix::elf {

/// The segment with the highest address, if it can grow: it is at the end of the file, and all of
/// its memory is in the file.
std::optional<size_t> findSegmentAtEnd(const Model& model);

/// Places each piece of `layout` at the end of the file, covered by a segment. May add pieces that
/// are in the way of a new program header.
llvm::Error placeAtEnd(const Model& model, Layout& layout);

} // namespace tcfix::elf
