// Operations on a whole Mach-O file: every slice is edited, signed and checked, then the file is
// reassembled.
#pragma once

#include "formats/formats.h"

namespace tcfix::formats {

llvm::Expected<Image> inspectMachO(Bytes bytes, const InspectOptions& options);
llvm::Expected<EditOutcome> rewriteMachO(Bytes bytes, llvm::StringRef fileName,
                                         const EditRequest& request);
llvm::Expected<SignatureVerdict> verifyMachO(Bytes bytes);
llvm::Expected<std::unique_ptr<SymbolTable>> openSymbolsOfMachO(Bytes bytes, llvm::StringRef arch);
std::string identifierOfMachO(Bytes bytes, llvm::StringRef fileName);

} // namespace tcfix::formats
