// Dispatch by file format. Modules above this one do not depend on the format of a file.
#pragma once

#include "image/outcome.h"
#include "image/symbol_table.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <optional>

namespace tcfix::formats {

/// The format, detected from the first bytes; nothing for other kinds of file.
std::optional<Format> sniff(Bytes bytes);

/// "Mach-O", "ELF" or "PE".
llvm::StringRef nameOf(Format format);

/// The format of this machine's own libraries.
Format thisMachinesFormat();

/// Whether absolute paths in a library may refer to this machine. macOS and Windows run programs of
/// other architectures on the same system; a Linux of another architecture is another machine.
bool isForThisMachine(Format format, llvm::StringRef arch);

struct InspectOptions {
  bool withSymbols = false;
  /// False: read only what a loader reads, so that a large library is as cheap as a small one.
  /// Signatures are not verified, and exports not checked.
  bool isThorough = true;
};

/// Everything that a library contains. Its signature is verified.
llvm::Expected<Image> inspect(Bytes bytes, const InspectOptions& options = {});

/// The symbols of the slice for this architecture; `arch` is ignored for formats other than Mach-O.
/// `bytes` must outlive the result.
llvm::Expected<std::unique_ptr<SymbolTable>> openSymbols(Bytes bytes, llvm::StringRef arch);

/// How signatures are handled.
struct Signing {
  bool isWanted = true;        ///< false: leave them alone, even if that breaks them
  bool alsoUnsigned = false;   ///< sign what neither has nor needs a signature
  bool replaceForeign = false; ///< replace or drop a certificate signature
};

struct EditRequest {
  std::vector<Edit> edits;
  Signing signing;
};

/// The rewrite that applies the request; the result obeys the loader's rules. A new signature's
/// identifier is derived from `fileName`.
llvm::Expected<EditOutcome> rewrite(Bytes bytes, llvm::StringRef fileName,
                                    const EditRequest& request);

struct SignatureVerdict {
  bool isValid = true;
  std::vector<std::string> problems;  ///< one message each
  std::vector<std::string> summaries; ///< one for each slice, such as "arm64: valid, ad hoc"
};

/// Verifies the signatures of a Mach-O file. A missing signature is a problem only where one is
/// required.
llvm::Expected<SignatureVerdict> verify(Bytes bytes);

/// The identifier that codesign would give this file; empty for formats other than Mach-O.
std::string signatureIdentifier(Bytes bytes, llvm::StringRef fileName);

} // namespace tcfix::formats
