// Names of the values in tcfix/image.h, for JSON and messages.
#pragma once

#include "tcfix/image.h"

#include <llvm/ADT/StringRef.h>

namespace tcfix {

/// The operation's name in JSON, such as "add_rpath".
llvm::StringRef nameOf(Operation operation);
/// The operation for people, such as "+ search path".
llvm::StringRef describe(Operation operation);

llvm::StringRef nameOf(DependencyKind kind);
llvm::StringRef nameOf(SearchPathKind kind);
llvm::StringRef nameOf(SignatureState state);
llvm::StringRef nameOf(SignatureKind kind);

/// The change's reason; "requested" if it has none.
llvm::StringRef reasonOf(const Change& change);

/// The last component of a library's name or path, for any platform.
llvm::StringRef baseName(llvm::StringRef path);

/// The architectures of a file's slices: "arm64 and x86_64".
std::string architecturesOf(const Image& image);

/// "valid, adhoc" or "none".
std::string describeBriefly(const SignatureSummary& signature);

/// "valid, adhoc, identifier libfoo.1" or "none".
std::string describe(const SignatureSummary& signature);

} // namespace tcfix
