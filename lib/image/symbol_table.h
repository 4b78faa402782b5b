// The symbols of a library as a loader uses them: what it needs, and whether it offers a certain
// one. An answer is a look-up in the tables that the loader itself uses; there may be a million
// symbols, and nobody lists them.
//
// Each format's module has its own kind of table. Texts point into the file's bytes.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace tcfix {

/// A symbol that a library takes from another one.
struct NeededSymbol {
  llvm::StringRef name;         ///< empty where PE asks by ordinal
  uint16_t ordinal = 0;         ///< PE
  llvm::StringRef version = {}; ///< ELF; empty: none is asked for
  std::optional<size_t> dependency =
      {};                  ///< the one it is bound to; none where the format leaves it open
  bool isOptional = false; ///< weak: the library loads without it
  /// ELF: the name's hash in DT_GNU_HASH, so that it is not computed for each library that is
  /// asked; 0: not known.
  uint32_t hash = 0;

  /// The name, or the ordinal as `#12`.
  std::string text() const { return name.empty() ? "#" + std::to_string(ordinal) : name.str(); }
};

/// Whether a library offers a symbol, and if it only passes it on: where it comes from.
struct SymbolOffer {
  enum class Kind { Absent, Here, Elsewhere };
  Kind kind = Kind::Absent;
  bool hasNoVersions = false;       ///< ELF: a version was asked for, and the library knows none
  std::optional<size_t> dependency; ///< Mach-O: the dependency that has it
  llvm::StringRef library;          ///< PE: the DLL that has it, without ".dll"
  NeededSymbol symbol;              ///< how it is called there
};

/// An ELF version that a library asks of another one, at load time and for all symbols at once.
struct NeededVersion {
  llvm::StringRef library;          ///< the name that it is asked by
  std::optional<size_t> dependency; ///< the dependency that has this name
  llvm::StringRef name;
  bool isOptional = false;
};

class SymbolTable {
public:
  virtual ~SymbolTable() = default;

  virtual llvm::Expected<std::vector<NeededSymbol>> needed() const = 0;
  virtual SymbolOffer find(const NeededSymbol& wanted) const = 0;
  /// The same for many, which some formats can do faster if their names are in order.
  virtual void
  findEach(llvm::ArrayRef<NeededSymbol> wanted,
           llvm::function_ref<void(const NeededSymbol&, const SymbolOffer&)> tell) const {
    for (const NeededSymbol& symbol : wanted)
      tell(symbol, find(symbol));
  }

  virtual llvm::ArrayRef<NeededVersion> neededVersions() const { return {}; }
  /// True where the library defines the version, or none at all: then the loader only warns.
  virtual bool accepts(llvm::StringRef /*version*/) const { return true; }
};

} // namespace tcfix
