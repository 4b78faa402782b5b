// Imports: which DLLs an image asks for, ordinary and delayed, and what it wants of each.
#pragma once

#include "pe/file.h"

namespace tcfix::pe {

struct Import {
  llvm::StringRef name;
  bool isDelay = false;
  uint32_t descriptor = 0; ///< RVA of its descriptor
  uint32_t nameAddress = 0;
  uint32_t lookup = 0; ///< RVA of the table of wanted names (the slots themselves if there is none)
  uint32_t slots = 0;  ///< RVA of the address slots that the loader fills
  bool isBound = false;
  bool usesAddresses = false; ///< a delay descriptor of the oldest kind, with addresses, not RVAs
};

/// One wanted symbol: a name, or an ordinal where the name is empty.
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

/// For each import the index of its dependency: two descriptors of one DLL, such as the helper's
/// own of KERNEL32.dll, are one dependency, unless only one of them is delayed.
std::vector<size_t> dependencyOfEach(llvm::ArrayRef<Import> imports);

/// How many slots an import has.
llvm::Expected<uint32_t> countSlots(const PeFile& file, const Import& import);

} // namespace tcfix::pe
