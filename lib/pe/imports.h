// Imports: which DLLs an image requires, ordinary and delayed, and which symbols of each.
#pragma once

#include "pe/file.h"

namespace tcfix::pe {

struct Import {
  llvm::StringRef name;
  bool isDelay = false;
  uint32_t descriptor = 0; ///< RVA of its descriptor
  uint32_t nameAddress = 0;
  uint32_t lookup = 0; ///< RVA of the table of imported names (the slots if there is none)
  uint32_t slots = 0;  ///< RVA of the address slots that the loader fills
  bool isBound = false;
  bool usesAddresses = false; ///< an old kind of delay descriptor, with addresses instead of RVAs
};

/// One imported symbol: a name, or an ordinal if the name is empty.
struct ImportedName {
  llvm::StringRef name;
  uint16_t ordinal = 0;

  /// The name, or the ordinal as `#12`.
  std::string text() const;
};

/// Ordinary imports first, then delayed ones, each in the order of its table.
llvm::Expected<std::vector<Import>> readImports(const PeFile& file);

llvm::Expected<std::vector<ImportedName>> readImportedNames(const PeFile& file,
                                                            const Import& import);

/// For each import, the index of its dependency: two descriptors of one DLL, such as the helper's
/// own of KERNEL32.dll, are one dependency, unless only one of them is delayed.
std::vector<size_t> dependencyOfEach(llvm::ArrayRef<Import> imports);

/// The number of slots of an import.
llvm::Expected<uint32_t> countSlots(const PeFile& file, const Import& import);

} // namespace tcfix::pe
