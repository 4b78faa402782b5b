// Editing load commands: edits applied to a slice give a draft.
//
// A draft is the new list of commands. Nothing else in a slice moves: the list grows into the
// padding that linkers leave between the load commands and the first section. An edit that does not
// fit there is refused.
#pragma once

#include "macho/ordinals.h"
#include "patch/rewrite.h"
#include "tcfix/image.h"

#include <llvm/ADT/ArrayRef.h>

namespace tcfix::macho {

struct SliceDraft {
  const FileSlice* original = nullptr;
  std::vector<LoadCommand> commands;
  std::vector<Replacement> tables; ///< that number the dependencies, where one was removed
  uint64_t size = 0;               ///< of the whole slice; grows only when a signature is added
  std::vector<Change> changes;
  std::vector<std::string> warnings;
};

/// A draft without changes.
SliceDraft draftOf(const FileSlice& slice);

/// Applies the edits, in order, and removes duplicate search paths and dependencies; without edits,
/// nothing changes. Refuses edits that Mach-O does not support, and a rename that would list a
/// dependency twice (dyld rejects such a file).
llvm::Error edit(SliceDraft& draft, llvm::ArrayRef<Edit> edits, Bytes sliceBytes);

/// The number of bytes between the load commands and the first section. They are free, even if not
/// zero: tools that shorten the commands leave remains of the old ones there.
uint64_t freeRoom(const FileSlice& slice);

/// The draft's header and load commands as patches to the slice. Fails if they do not fit.
llvm::Expected<Rewrite> layOut(const SliceDraft& draft, Bytes sliceBytes);

/// Reassembles a file from its edited slices. Slices after one that grew move to the next offset
/// that their alignment allows; everything else stays where it is.
llvm::Expected<Rewrite> assemble(Bytes fileBytes, const File& file, llvm::ArrayRef<Rewrite> slices);

/// A command that ends with a string: the `fixed` bytes of its structure, then `text`, padded with
/// zeros to a multiple of eight, as Apple's tools do for 64-bit files.
ByteVector withString(Bytes fixed, llvm::StringRef text);

} // namespace tcfix::macho
