// Names of the values in tcfix/image.h, for JSON and for sentences.
#pragma once

#include "tcfix/image.h"

#include <llvm/ADT/StringRef.h>

namespace tcfix {

/// The operation's name in JSON, such as "add_rpath".
llvm::StringRef nameOf(Operation operation);

llvm::StringRef nameOf(DependencyKind kind);
llvm::StringRef nameOf(SearchPathKind kind);
llvm::StringRef nameOf(SignatureState state);
llvm::StringRef nameOf(SignatureKind kind);

/// The last component of a library's name or path, of whatever platform.
llvm::StringRef baseName(llvm::StringRef path);

/// "arm64 and x86_64": what a file has slices for.
std::string architecturesOf(const Image& image);

/// "valid, adhoc" or "none".
std::string describeBriefly(const SignatureSummary& signature);

/// "valid, adhoc, identifier libfoo.1" or "none".
std::string describe(const SignatureSummary& signature);

} // namespace tcfix
