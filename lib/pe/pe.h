// PE: Windows DLLs and programs.
//
// Windows has no search path inside a DLL. tcfix gives it one: dependencies that are delayed are
// loaded by a small helper inside the DLL, from a list embedded beside it, before the DLL's own
// code starts. conversion.h says how, helper/helper.c is the helper.
#pragma once

#include "base/bytes.h"
#include "image/outcome.h"
#include "tcfix/image.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

namespace tcfix::pe {

struct RewriteOptions {
  /// A certificate (Authenticode) does not survive a change: drop it instead of refusing.
  bool replaceSignature = false;
};

bool isPe(Bytes bytes);

/// `checksExports`: read them, whether they are wanted or not, so that damage is found.
llvm::Expected<Image> inspect(Bytes bytes, bool withSymbols, bool checksExports = true);

/// Applies the edits. A file that Windows would not load is refused, and so is a result.
llvm::Expected<EditOutcome> rewrite(Bytes original, llvm::ArrayRef<Edit> edits,
                                    const RewriteOptions& options);

/// What the Windows loader would object to, one sentence each.
llvm::Expected<std::vector<std::string>> check(Bytes bytes);

} // namespace tcfix::pe
