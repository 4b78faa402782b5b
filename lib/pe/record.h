// Record: what tcfix has made of a DLL, as it stands in the DLL's own section `.tcfixd`.
//
// The record holds the wishes (which dependencies are delayed or renamed, the search list) and the
// bytes that stood wherever the rest of the file was changed. So a converted DLL can always be seen
// as it was; every edit starts from there, which makes edits idempotent and `undelay` exact.
// helper/layout.h describes the bytes.
#pragma once

#include "pe/file.h"

namespace tcfix::pe {

/// Values as in helper/layout.h.
enum class TweakKind : uint32_t { Renamed = 0, Eager = 1, Lazy = 2 };

/// What is wanted of one dependency, other than the linker wrote.
struct Tweak {
  uint32_t slots = 0; ///< RVA of its address slots, which never move: its identity
  TweakKind kind = TweakKind::Renamed;
  std::string newName; ///< empty: the original one

  bool isDelayed() const { return kind != TweakKind::Renamed; }
  bool isNothing() const { return !isDelayed() && newName.empty(); }
};

struct Wishes {
  std::vector<Tweak> tweaks;
  std::vector<std::string> searchPaths;

  bool isEmpty() const { return tweaks.empty() && searchPaths.empty(); }
  bool hasDelayed() const;
  const Tweak* find(uint32_t slots) const;
  /// The tweak of that dependency, made if there is none.
  Tweak& of(uint32_t slots);
};

struct SavedBytes {
  uint64_t offset = 0;
  Bytes bytes;
};

struct Record {
  Wishes wishes;
  std::vector<SavedBytes> saved;
  uint32_t kernelSlots = 0; ///< RVA of the helper's own import slots
  size_t firstSection = 0;  ///< index of the first section that is ours; ours are the last ones
};

constexpr llvm::StringLiteral kCodeSection = ".tcfixt";
constexpr llvm::StringLiteral kDataSection = ".tcfixd";

/// The record of a file that has one. An error if it is damaged or no longer at the image's end.
llvm::Expected<std::optional<Record>> readRecord(const PeFile& file);

/// Puts the saved bytes back and cuts our sections off: the image as it was.
void restore(Draft& draft, const PeFile& file, const Record& record);

} // namespace tcfix::pe
