// Turns edits into import settings, and into the few changes that need no record.
#pragma once

#include "image/outcome.h"
#include "pe/imports.h"
#include "pe/record.h"

namespace tcfix::pe {

/// The state of an edit.
struct Editing {
  ByteOverlay& image;      ///< the original image, with nothing after it
  ImportSettings settings; ///< from the record, then changed by the edits
  bool isEdited = false;   ///< `image` was changed in ways that the settings do not describe
  std::vector<Change> changes;
  std::vector<std::string> warnings;
};

/// Applies the edits, in order.
llvm::Error applyEdits(Editing& editing, llvm::ArrayRef<Edit> edits);

/// Writes the renames that need no new section (the new name is no longer than the old one, or fits
/// into padding) and removes them from the settings.
llvm::Error renameInPlace(Editing& editing);

} // namespace tcfix::pe
