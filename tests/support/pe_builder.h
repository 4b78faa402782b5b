// Tiny PE images, built in code: a DLL of five sections with only what a test needs.
#pragma once

#include "base/bytes.h"

#include <string>
#include <vector>

namespace tcfix::support {

struct PeImport {
  std::string library;
  std::vector<std::string> symbols; ///< `#7` is an ordinal
  bool isCalled = true;             ///< the code calls through every slot
  bool hasLookupTable = true;
  bool isDelay = false; ///< as a linker would delay it
};

struct PeExport {
  std::string name;
  std::string forwardTo; ///< empty: it has an address
};

struct PeRecipe {
  bool is64 = true;
  uint16_t machine = 0x8664;
  bool isDll = true;
  bool hasEntryPoint = true;
  uint16_t dllCharacteristics = 0x160; ///< dynamic base, high entropy, no-execute
  uint32_t fileAlignment = 0x200;
  uint32_t sectionAlignment = 0x1000;
  uint32_t extraSections = 0; ///< fill the section table with empty ones
  std::string exportName = "tiny.dll";
  std::vector<PeExport> exports = {{"first", ""}, {"second", ""}};
  std::vector<PeImport> imports = {{"KERNEL32.dll", {"Sleep"}},
                                   {"first.dll", {"alpha", "beta", "#7"}},
                                   {"second.dll", {"gamma"}}};
  bool hasTlsCallback = false;
  bool hasUnwindTable = true;
  bool isUnwindTableTight = false; ///< no padding after it
  bool hasChecksum = false;
  bool hasBoundImports = false;
  bool hasSymbolTable = false; ///< COFF symbols, which begin with the overlay
  std::string overlay;         ///< data after the image
  uint32_t certificateSize = 0;
};

/// A spec for PE32 instead of PE32+.
PeRecipe recipeFor32Bit();

ByteVector buildPe(const PeRecipe& recipe);

} // namespace tcfix::support
