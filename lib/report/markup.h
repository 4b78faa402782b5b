// Text for HTML and SVG.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::report {

/// The text as content or quoted attribute. Names in files may be malicious: besides markup and
/// control characters, those that change the direction of text are made visible.
std::string escaped(llvm::StringRef text);

} // namespace tcfix::report
