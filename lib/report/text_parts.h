// Pieces of text that several views share.
#pragma once

#include "report/text.h"

namespace tcfix::report {

/// A label, padded to the width of all labels of a view.
std::string padded(llvm::StringRef label);

/// "3 files".
std::string countText(size_t count, llvm::StringRef noun);
/// "3 libraries".
std::string librariesText(size_t count);

/// The path below site-packages, such as "av.libs"; a path elsewhere as it is.
llvm::StringRef belowSite(llvm::StringRef path);

/// The verdict on libraries for a system whose directories are not on this machine.
std::string cannotTellText(llvm::ArrayRef<llvm::StringRef> libraries);

std::vector<std::string> dependencyTexts(const Slice& slice);
std::vector<std::string> searchPathTexts(const Slice& slice);

} // namespace tcfix::report
