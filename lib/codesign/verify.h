// Judging a code signature: every page, every blob. Problems are data, not errors.
//
// What cannot be judged here: whether the certificate behind a CMS signature is trusted, and files
// outside the library (an Info.plist of a bundle, its resources).
#pragma once

#include "codesign/blob_check.h"
#include "macho/file.h"
#include "tcfix/image.h"

namespace tcfix::codesign {

struct SignatureReport {
  SignatureSummary summary;
  std::vector<std::string> problems;          ///< one sentence each; empty unless invalid
  std::optional<EmbeddedSignature> signature; ///< what could be read of it
  uint64_t offset = 0;                        ///< where LC_CODE_SIGNATURE says it is, in the slice
  uint64_t size = 0;
  bool isMisplaced = false; ///< it is not where a signature must be, so that none can be made there
  std::optional<BlobProblem> malformedContent; ///< of what a new signature would have to repeat
};

/// The Info.plist that some tools embed in __TEXT,__info_plist; a signature covers it.
std::optional<Bytes> infoPlistOf(Bytes sliceBytes, const macho::FileSlice& slice);

SignatureReport verify(Bytes sliceBytes, const macho::FileSlice& slice);

} // namespace tcfix::codesign
