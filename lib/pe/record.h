// The conversion record: how tcfix changed a DLL, stored in the DLL's own section `.tcfixd`.
//
// The record contains the import settings (which dependencies are delayed or renamed, the search
// list) and the original bytes of everything that was changed in the rest of the file. Every edit
// restores the original first, which makes edits idempotent and `undelay` exact. helper/layout.h
// describes the format.
#pragma once

#include "pe/file.h"

namespace tcfix::pe {

/// Values as in helper/layout.h.
enum class OverrideKind : uint32_t { Renamed = 0, Eager = 1, Lazy = 2 };

/// How one dependency differs from what the linker wrote.
struct ImportOverride {
  uint32_t slots =
      0; ///< RVA of its address slots; identifies the dependency, since they never move
  OverrideKind kind = OverrideKind::Renamed;
  std::string newName; ///< empty: the original one

  bool isDelayed() const { return kind != OverrideKind::Renamed; }
  bool isEmpty() const { return !isDelayed() && newName.empty(); }
};

struct ImportSettings {
  std::vector<ImportOverride> overrides;
  std::vector<std::string> searchPaths;

  bool isEmpty() const { return overrides.empty() && searchPaths.empty(); }
  bool hasDelayed() const;
  const ImportOverride* find(uint32_t slots) const;
  /// The override of that dependency, added if there is none.
  ImportOverride& of(uint32_t slots);
};

struct SavedBytes {
  uint64_t offset = 0;
  Bytes bytes;
};

struct ConversionRecord {
  ImportSettings settings;
  std::vector<SavedBytes> saved;
  size_t firstSection = 0; ///< index of the first section that tcfix added; they are the last ones
};

constexpr llvm::StringLiteral kCodeSection = ".tcfixt";
constexpr llvm::StringLiteral kDataSection = ".tcfixd";

/// The record, if the file has one. An error if it is corrupt or no longer at the image's end.
llvm::Expected<std::optional<ConversionRecord>> readRecord(const PeFile& file);

/// Restores the saved bytes and removes tcfix's sections: the original image.
void restore(ByteOverlay& image, const PeFile& file, const ConversionRecord& record);

} // namespace tcfix::pe
