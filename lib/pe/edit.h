// Editing: turns edits into wishes about an image, and into the few changes that need no record.
#pragma once

#include "image/outcome.h"
#include "pe/imports.h"
#include "pe/record.h"

namespace tcfix::pe {

/// An image on its way from the original to the edited one.
struct Editing {
  Draft& draft;          ///< the original image, and nothing after it
  Wishes wishes;         ///< those of the record; then those of the edits, too
  bool isEdited = false; ///< the draft itself was changed, beyond what wishes say
  std::vector<Change> changes;
  std::vector<std::string> warnings;
};

/// Fulfils the edits, in order.
llvm::Error applyEdits(Editing& editing, llvm::ArrayRef<Edit> edits);

/// Writes the renames among the wishes that need no new section, and takes them off: where the new
/// name is no longer than the old one, or padding has room for it.
llvm::Error renameInPlace(Editing& editing);

} // namespace tcfix::pe
