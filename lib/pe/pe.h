// PE: Windows DLLs and programs.
//
// Windows DLLs have no search path. tcfix adds one: a small helper inside the DLL loads delayed
// dependencies from an embedded list before the DLL's own code runs. conversion.h describes how;
// helper/helper.c is the helper.
#pragma once

#include "base/bytes.h"
#include "image/outcome.h"
#include "tcfix/image.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

namespace tcfix::pe {

struct RewriteOptions {
  /// Any change invalidates a certificate (Authenticode): drop it instead of refusing the edit.
  bool replaceSignature = false;
};

bool isPe(Bytes bytes);

/// `checksExports`: read the exports even without `withSymbols`, to detect corruption.
llvm::Expected<Image> inspect(Bytes bytes, bool withSymbols, bool checksExports = true);

/// Applies the edits. Fails if Windows would not load the file, before or after.
llvm::Expected<EditOutcome> rewrite(Bytes original, llvm::ArrayRef<Edit> edits,
                                    const RewriteOptions& options);

/// The rules of the Windows loader that the file breaks, one message each.
llvm::Expected<std::vector<std::string>> check(Bytes bytes);

} // namespace tcfix::pe
