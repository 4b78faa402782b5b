// Exports: what an image offers, by name and by ordinal.
#pragma once

#include "pe/imports.h"

namespace tcfix::pe {

struct Forwarder {
  std::string name;   ///< or `#12`
  std::string target; ///< such as `NTDLL.RtlAllocateHeap`
};

/// The export directory. Names point into the file.
struct Exports {
  std::optional<std::string> libraryName;
  std::vector<llvm::StringRef> names; ///< in the order of the table, which is sorted
  std::vector<uint32_t> namelessOrdinals;
  std::vector<Forwarder> forwarders; ///< as written; where they lead is not followed
  uint32_t firstOrdinal = 0;
  std::vector<bool> hasOrdinal; ///< from firstOrdinal on
};

/// An image without an export directory gives empty exports.
llvm::Expected<Exports> readExports(const PeFile& file);
/// The library's name alone: there may be sixty thousand others.
llvm::Expected<Exports> readExportName(const PeFile& file);

} // namespace tcfix::pe
