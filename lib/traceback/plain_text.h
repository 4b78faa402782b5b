// Texts as people paste them, made plain, and words found in them however their lines are broken.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace tcfix::traceback {

/// Without colours, carriage returns, and what loggers put before each line; UTF-16, as PowerShell
/// writes it, becomes UTF-8; HTML's entities and escapes become what they stand for.
std::string plainText(llvm::StringRef text);

/// Where words begin and end in a text.
struct Span {
  size_t begin, end;
};

/// The first place from `from` on with these words. A blank in `words` stands for any blanks and
/// line ends, and for the marks of quoted lines after a line end.
std::optional<Span> findWords(llvm::StringRef text, llvm::StringRef words, size_t from = 0);

inline bool hasWords(llvm::StringRef text, llvm::StringRef words) {
  return findWords(text, words).has_value();
}

} // namespace tcfix::traceback
