// Finds blobs in a signature that the system rejects even if all hashes are correct.
//
// The kernel's rules are those of XNU's bsd/kern/ubc_subr.c (cs_validate_csblob,
// cs_validate_codedirectory). The kernel does not read requirements; the Security framework does,
// and accepts a requirement set only if every entry is inside it.
#pragma once

#include "codesign/blob.h"

namespace tcfix::codesign {

struct BlobProblem {
  uint32_t slot = 0;
  std::string text; ///< a message
};

/// `hasLargePages`: the slice is for Apple silicon, whose kernel also accepts 16 KiB pages.
std::vector<BlobProblem> checkBlobs(const EmbeddedSignature& signature, bool hasLargePages);

} // namespace tcfix::codesign
