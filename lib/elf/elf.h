// ELF: shared libraries and programs of Linux and similar systems, 32- and 64-bit, either byte
// order.
//
// Follows the System V gABI and what glibc (elf/dl-load.c, elf/dl-version.c), musl (ldso/dynlink.c)
// and Linux (fs/binfmt_elf.c) implement. Object files and core dumps are rejected, and so are edits
// of static programs, which load no libraries.
#pragma once

#include "image/outcome.h"
#include "tcfix/image.h"

#include <llvm/Support/Error.h>

namespace tcfix::elf {

bool isElf(Bytes bytes);

/// What the file contains. Symbols are read only on request: there may be a million.
llvm::Expected<Image> inspect(Bytes bytes, bool withSymbols);

/// All edits as one change, the smallest that loaders and binary tools accept. The result has no
/// problem that the original did not have.
llvm::Expected<EditOutcome> rewrite(Bytes original, llvm::ArrayRef<Edit> edits);

/// The rules of loaders and tools that the file breaks, one message each.
std::vector<std::string> check(Bytes bytes);

} // namespace tcfix::elf
