// Entries of the embedded search list: what the helper accepts.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

namespace tcfix::pe {

/// Rejects relative paths, whose meaning depends on the process: an entry must start with `$ORIGIN`
/// (or `@loader_path`), a drive, a network share or a `%VARIABLE%`.
llvm::Error checkSearchPath(llvm::StringRef path);

} // namespace tcfix::pe
