// Verifies a code signature: every page, every blob. Problems are data, not errors.
//
// Not verified: whether the certificate of a CMS signature is trusted, and files outside the
// library (a bundle's Info.plist and resources).
#pragma once

#include "codesign/blob_check.h"
#include "macho/file.h"
#include "tcfix/image.h"

namespace tcfix::codesign {

struct SignatureReport {
  SignatureSummary summary;
  std::vector<std::string> problems;          ///< messages; empty unless invalid
  std::optional<EmbeddedSignature> signature; ///< empty if it cannot be parsed
  uint64_t offset = 0;                        ///< in the slice, from LC_CODE_SIGNATURE
  uint64_t size = 0;
  bool isMisplaced = false; ///< not at the end of the file, so no new one can be built either
  std::optional<BlobProblem> malformedContent; ///< in blobs that a new signature would have to copy
};

/// The Info.plist that some tools embed in __TEXT,__info_plist; a signature covers it.
std::optional<Bytes> infoPlistOf(Bytes sliceBytes, const macho::FileSlice& slice);

SignatureReport verify(Bytes sliceBytes, const macho::FileSlice& slice);

} // namespace tcfix::codesign
