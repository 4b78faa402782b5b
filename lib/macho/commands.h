// Changing load commands: a slice and the edits wanted of it become a draft.
//
// A draft is the list of commands as it shall be. Nothing else of a slice ever moves: the list
// grows into the padding that linkers leave between the load commands and the first section, and
// when it does not fit there the edit is refused.
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

/// A draft that changes nothing yet.
SliceDraft draftOf(const FileSlice& slice);

/// Applies the edits, in order, and removes repeated search paths and dependencies; without an
/// edit, nothing changes. Refuses edits that the format cannot honour, and a rename that would name
/// one dependency twice (dyld refuses such a file).
llvm::Error edit(SliceDraft& draft, llvm::ArrayRef<Edit> edits, Bytes sliceBytes);

/// How far the load commands may still grow before they meet the first section. What stands there
/// is no one's: tools that shorten the commands leave remains of the old ones behind.
uint64_t freeRoom(const FileSlice& slice);

/// The draft's header and load commands as patches of the slice. Refuses what does not fit.
llvm::Expected<Rewrite> layOut(const SliceDraft& draft, Bytes sliceBytes);

/// Puts edited slices back together. A slice that grew pushes those behind it to the next offset
/// that their alignment allows; everything else stays where it is.
llvm::Expected<Rewrite> assemble(Bytes fileBytes, const File& file, llvm::ArrayRef<Rewrite> slices);

/// A command with the text at the end: `fixed` bytes of structure, then `text`, padded with zeros
/// to a multiple of eight, as Apple's tools do for 64-bit files.
ByteVector withText(Bytes fixed, llvm::StringRef text);

} // namespace tcfix::macho
