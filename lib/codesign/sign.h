// Signing, the last step of every edit: turns a draft into the finished slice.
//
// A valid ad-hoc signature is refreshed: only the hashes of changed pages are updated. If there is
// none, or an invalid one, a new one is built; entitlements and requirements are kept. A
// certificate signature is replaced only if the user requests it.
#pragma once

#include "codesign/verify.h"
#include "macho/commands.h"

namespace tcfix::codesign {

struct SignPolicy {
  bool isWanted = true;          ///< false: leave signatures alone, even if that breaks them
  bool alsoUnsigned = false;     ///< sign slices that neither have nor need a signature
  bool replaceForeign = false;   ///< replace a certificate signature
  std::string defaultIdentifier; ///< for slices without an old identifier
};

/// The slice's rewrite: the draft's load commands and the signature. Adds the change of the
/// signature to the draft's changes.
llvm::Expected<Rewrite> layOutSigned(macho::SliceDraft& draft, Bytes sliceBytes,
                                     const SignPolicy& policy);

} // namespace tcfix::codesign
