// Text for HTML and SVG.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::report {

/// Escapes text for element content and quoted attributes. Names in files may be malicious, so
/// control characters and characters that change the direction of text are made visible.
std::string escaped(llvm::StringRef text);

} // namespace tcfix::report
