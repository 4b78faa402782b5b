// Search paths of the embedded list: which texts the helper can make sense of.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

namespace tcfix::pe {

/// Refuses what could never name a folder, or would name another one in every process: `$ORIGIN`
/// (or `@loader_path`), a drive, a network share or a `%VARIABLE%` must come first.
llvm::Error checkSearchPath(llvm::StringRef path);

} // namespace tcfix::pe
