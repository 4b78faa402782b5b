// Carrier: the segment at the end of the file that brings moved pieces into memory.
#pragma once

#include "elf/layout.h"

namespace tcfix::elf {

/// The segment with the highest addresses, if it also ends the file and has all its memory there:
/// the one that can grow.
std::optional<size_t> findSegmentAtEnd(const Model& model);

/// Gives each piece of `layout` its place at the end of the file and sees to it that a segment
/// covers them. May add pieces that stand in the way of a new program header.
llvm::Error carryToEnd(const Model& model, Layout& layout);

} // namespace tcfix::elf
