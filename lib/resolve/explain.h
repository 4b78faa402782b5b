// What a load's result shows beyond what the loader itself reports: the library that should have
// had a missing symbol, symbols that are missing behind an earlier failure, and macOS's refusal of
// a signature. It takes time, so that only those who explain a failure ask for it.
#pragma once

#include "resolve/session.h"

namespace tcfix::resolve {

struct ExplainOptions {
  /// Libraries that are the only ones to have certain symbols, as host paths. Where another library
  /// is missing, ld.so cannot say that a symbol is, since that library could have any.
  std::vector<std::string> owners = {};
  std::string mainOwner = {}; ///< the one of them to report
  bool (*isOwned)(llvm::StringRef symbol) = nullptr;
};

/// Completes the result of loading `library` into a process of this architecture. A problem of
/// which no provider is known becomes one for each library that probably should have the symbols.
void explain(LoadResult& result, const std::string& library, const std::string& arch,
             LibraryStore& store, const ExplainOptions& options);

/// True if macOS does not run code from this slice; its signature must have been judged.
bool isRefused(const Slice& slice);

/// Why macOS does not take a library; nothing if it does.
std::optional<LoadProblem> refusalOf(const std::string& library, llvm::StringRef arch,
                                     LibraryStore& store);

/// True if one of the libraries offers the symbol.
bool isOffered(const NeededSymbol& symbol, llvm::ArrayRef<std::string> libraries,
               const std::string& arch, LibraryStore& store);

/// What a symbol lies in, outermost first, as parts of its own text: "3c10" and
/// "3c1013MessageLogger" of a function of c10::MessageLogger, "torch_" of torch_from_blob.
std::vector<llvm::StringRef> scopesOf(llvm::StringRef symbol);

} // namespace tcfix::resolve
