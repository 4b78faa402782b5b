// Exports of an image, by name and by ordinal.
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
  std::vector<llvm::StringRef> names; ///< sorted, as in the table
  std::vector<uint32_t> namelessOrdinals;
  std::vector<Forwarder> forwarders; ///< not followed
  uint32_t firstOrdinal = 0;
  std::vector<bool> hasOrdinal; ///< indexed from firstOrdinal
};

/// Empty for an image without an export directory.
llvm::Expected<Exports> readExports(const PeFile& file);
/// Reads only the library's name, not the exports: there may be sixty thousand.
llvm::Expected<Exports> readExportName(const PeFile& file);

} // namespace tcfix::pe
