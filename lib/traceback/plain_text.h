// Converts a pasted text to plain text, and finds words in it regardless of line breaks.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace tcfix::traceback {

/// Without colours, carriage returns and the prefixes of loggers; UTF-16, as PowerShell writes it,
/// becomes UTF-8; HTML entities and escapes are decoded.
std::string plainText(llvm::StringRef text);

/// The range of words in a text.
struct Span {
  size_t begin, end;
};

/// The first position at or after `from` with these words. A blank in `words` matches any blanks
/// and line ends, and the marks of quoted lines after a line end.
std::optional<Span> findWords(llvm::StringRef text, llvm::StringRef words, size_t from = 0);

inline bool hasWords(llvm::StringRef text, llvm::StringRef words) {
  return findWords(text, words).has_value();
}

} // namespace tcfix::traceback
