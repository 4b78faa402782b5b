// A search path string of ELF: entries joined by colons, with tokens such as $ORIGIN in them.
#pragma once

#include "tcfix/image.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

namespace tcfix::elf {

/// An empty string has no entry; otherwise an empty entry is one (the current folder).
std::vector<std::string> splitSearchPath(llvm::StringRef text);
std::string joinSearchPath(llvm::ArrayRef<std::string> paths);

/// The same edits, where an entry that the file has in another spelling (`${ORIGIN}/x` for
/// `$ORIGIN/x`) is spelled as the file does. Refuses entries that the format cannot hold.
llvm::Expected<std::vector<SearchPathEdit>> spellLike(llvm::ArrayRef<std::string> current,
                                                      llvm::ArrayRef<SearchPathEdit> edits);

} // namespace tcfix::elf
