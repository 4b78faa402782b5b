// The one switch over formats. Modules above this one do not depend on the format of a file.
#pragma once

#include "image/outcome.h"
#include "image/symbol_table.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <optional>

namespace tcfix::formats {

/// The format that the first bytes show; nothing for a file of another kind.
std::optional<Format> sniff(Bytes bytes);

/// "Mach-O", "ELF" or "PE".
llvm::StringRef nameOf(Format format);

/// The format of this machine's own libraries.
Format thisMachinesFormat();

/// Whether the absolute paths of a library's system could be this machine's. macOS and Windows run
/// programs of other architectures on the same disk; a Linux of another one has a disk of its own.
bool isForThisMachine(Format format, llvm::StringRef arch);

struct InspectOptions {
  bool withSymbols = false;
  /// False: only what a loader looks at, so that a large library is as cheap as a small one.
  /// Signatures are not judged, and exports not checked.
  bool isThorough = true;
};

/// Everything that a library says of itself, its signature judged.
llvm::Expected<Image> inspect(Bytes bytes, const InspectOptions& options = {});

/// The symbols of the slice for this architecture; of another format than Mach-O `arch` is not
/// asked. `bytes` must outlive the result.
llvm::Expected<std::unique_ptr<SymbolTable>> openSymbols(Bytes bytes, llvm::StringRef arch);

/// What shall happen to signatures.
struct Signing {
  bool isWanted = true;        ///< false: leave them alone, even if that breaks them
  bool alsoUnsigned = false;   ///< sign what neither has nor needs a signature
  bool replaceForeign = false; ///< replace or drop a signature made by an identity
};

struct EditRequest {
  std::vector<Edit> edits;
  Signing signing;
};

/// The rewrite that fulfils the request, checked by the loader's own rules. `fileName` is what a
/// new signature's identifier is derived from.
llvm::Expected<EditOutcome> rewrite(Bytes bytes, llvm::StringRef fileName,
                                    const EditRequest& request);

struct SignatureVerdict {
  bool isValid = true;
  std::vector<std::string> problems;  ///< one sentence each
  std::vector<std::string> summaries; ///< one for each slice, such as "arm64: valid, ad hoc"
};

/// Judges the signatures of a Mach-O file. Unsigned is a problem only where it must be signed.
llvm::Expected<SignatureVerdict> verify(Bytes bytes);

/// The identifier that codesign would give this file; empty for other formats than Mach-O.
std::string signatureIdentifier(Bytes bytes, llvm::StringRef fileName);

} // namespace tcfix::formats
