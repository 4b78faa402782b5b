// Explains a failed load in more detail than the loader itself: which library should have a missing
// symbol, which symbols are missing besides the first failure, and whether macOS rejects a
// signature. This takes time, so it is only done to explain a failure.
#pragma once

#include "resolve/session.h"

namespace tcfix::resolve {

struct ExplainOptions {
  /// Host paths of libraries that are the only ones to have certain symbols. If another library is
  /// missing, no other symbol can be reported as missing, since that library could have it.
  std::vector<std::string> owners = {};
  std::string mainOwner = {}; ///< the one of them to report
  bool (*isOwned)(llvm::StringRef symbol) = nullptr;
};

/// Completes the result of loading `library` into a process of this architecture. A problem without
/// a provider is split into one for each library that probably should have the symbols.
void explain(LoadResult& result, const std::string& library, const std::string& arch,
             LibraryStore& store, const ExplainOptions& options);

/// True if macOS does not run code from this slice; its signature must have been verified.
bool isRefused(const Slice& slice);

/// Why macOS rejects a library; nothing if it does not.
std::optional<LoadProblem> refusalOf(const std::string& library, llvm::StringRef arch,
                                     LibraryStore& store);

/// True if one of the libraries exports the symbol.
bool isOffered(const NeededSymbol& symbol, llvm::ArrayRef<std::string> libraries,
               const std::string& arch, LibraryStore& store);

/// The scopes of a symbol, outermost first, as prefixes of its mangled name: "3c10" and
/// "3c1013MessageLogger" for a function of c10::MessageLogger, "torch_" for torch_from_blob.
std::vector<llvm::StringRef> scopesOf(llvm::StringRef symbol);

} // namespace tcfix::resolve
