// Pieces of text that several views are made of.
#pragma once

#include "report/text.h"

namespace tcfix::report {

/// A label as wide as all labels of a view.
std::string padded(llvm::StringRef label);

/// "3 files".
std::string countText(size_t count, llvm::StringRef noun);

std::vector<std::string> dependencyTexts(const Slice& slice);
std::vector<std::string> searchPathTexts(const Slice& slice);

} // namespace tcfix::report
