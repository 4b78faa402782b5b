// Blobs of a signature that their readers refuse, even where all hashes are right.
//
// The kernel's rules are those of XNU's bsd/kern/ubc_subr.c (cs_validate_csblob,
// cs_validate_codedirectory). It does not look into requirements; the Security framework does, and
// takes a set of them only if every entry lies inside the set.
#pragma once

#include "codesign/blob.h"

namespace tcfix::codesign {

struct BlobProblem {
  uint32_t slot = 0;
  std::string text; ///< one sentence
};

/// `hasLargePages`: the slice is for Apple silicon, whose kernel takes 16 KiB pages, too.
std::vector<BlobProblem> checkBlobs(const EmbeddedSignature& signature, bool hasLargePages);

} // namespace tcfix::codesign
