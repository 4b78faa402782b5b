// Text for HTML and SVG.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::report {

/// The text as content or quoted attribute. Names out of files are hostile: besides markup and
/// control characters, those that turn the direction of writing are made visible.
std::string escaped(llvm::StringRef text);

} // namespace tcfix::report
