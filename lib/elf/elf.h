// ELF: shared libraries and programs of Linux and its relatives, 32 and 64 bits, either byte order.
//
// Follows the System V gABI and what glibc (elf/dl-load.c, elf/dl-version.c), musl (ldso/dynlink.c)
// and Linux (fs/binfmt_elf.c) make of it. Object files and core dumps are refused, and so are edits
// of static programs, which no loader searches libraries for.
#pragma once

#include "image/outcome.h"
#include "tcfix/image.h"

#include <llvm/Support/Error.h>

namespace tcfix::elf {

bool isElf(Bytes bytes);

/// What the file says of itself. Symbols are read only when asked for: there may be a million.
llvm::Expected<Image> inspect(Bytes bytes, bool withSymbols);

/// The edits, all at once, as the smallest change that loaders and binary tools accept. The result
/// has no problem that the original did not have.
llvm::Expected<EditOutcome> rewrite(Bytes original, llvm::ArrayRef<Edit> edits);

/// The rules of loaders and tools that the file breaks, one sentence each.
std::vector<std::string> check(Bytes bytes);

} // namespace tcfix::elf
