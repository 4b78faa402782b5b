// Signing, the last step of every edit: a draft goes in, the finished slice comes out.
//
// A valid ad-hoc signature is refreshed: only the hashes of touched pages change. Where there is
// none, or a broken one, a fresh one is built; entitlements and requirements are kept. A signature
// made by an identity is never replaced unless the user says so.
#pragma once

#include "codesign/verify.h"
#include "macho/commands.h"

namespace tcfix::codesign {

struct SignPolicy {
  bool isWanted = true;          ///< false: leave signatures alone, even if that breaks them
  bool alsoUnsigned = false;     ///< sign slices that neither have nor need a signature
  bool replaceForeign = false;   ///< replace a signature made by an identity
  std::string defaultIdentifier; ///< for slices that never had one
};

/// The slice's rewrite: the draft's load commands and the signature that goes with them. Adds what
/// was done about the signature to the draft's changes.
llvm::Expected<Rewrite> layOutSigned(macho::SliceDraft& draft, Bytes sliceBytes,
                                     const SignPolicy& policy);

} // namespace tcfix::codesign
