// ELF search path strings: entries separated by colons, with tokens such as $ORIGIN.
#pragma once

#include "tcfix/image.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

namespace tcfix::elf {

/// An empty string has no entries; otherwise an empty entry is the current directory.
std::vector<std::string> splitSearchPath(llvm::StringRef text);
std::string joinSearchPath(llvm::ArrayRef<std::string> paths);

/// The same edits, but an entry that the file has in another spelling (`${ORIGIN}/x` for
/// `$ORIGIN/x`) is spelled as in the file. Rejects entries that the format cannot represent.
llvm::Expected<std::vector<SearchPathEdit>> spellLike(llvm::ArrayRef<std::string> current,
                                                      llvm::ArrayRef<SearchPathEdit> edits);

} // namespace tcfix::elf
