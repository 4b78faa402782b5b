// Builds a new ad-hoc signature, as codesign would.
#pragma once

#include "base/bytes.h"
#include "codesign/pages.h"

#include <string>

namespace tcfix::codesign {

/// Everything in a signature except the page hashes.
struct SignatureParts {
  std::string identifier;
  uint8_t pageShift = kSmallPageShift; ///< of the page size
  uint64_t codeLimit = 0;              ///< the bytes before the signature
  uint64_t textOffset = 0;             ///< of __TEXT, in the slice
  uint64_t textSize = 0;               ///< of __TEXT, in the file
  bool isExecutable = false;
  Bytes infoPlist;    ///< embedded in the slice; empty if there is none
  Bytes requirements; ///< these three: complete blobs of the old signature; empty if there are none
  Bytes entitlements;
  Bytes derEntitlements;
};

/// The size of the signature that build() returns.
uint64_t signatureSize(const SignatureParts& parts);

/// The signature of the pages that `readPage` returns.
ByteVector build(const SignatureParts& parts, PageReader readPage);

} // namespace tcfix::codesign
