// A library's symbols as a loader uses them: which ones it needs, and whether it exports a given
// one. Lookups use the same tables as the loader; symbols are never listed, since there may be a
// million.
//
// Each format's module has its own SymbolTable. Names point into the file's bytes.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace tcfix {

/// A symbol that a library imports from another one.
struct NeededSymbol {
  llvm::StringRef name;         ///< empty for a PE import by ordinal
  llvm::StringRef version = {}; ///< ELF; empty: any
  /// The index of the one it is bound to; empty: any library may provide it.
  std::optional<uint32_t> dependency = {};
  /// ELF: the name's hash in DT_GNU_HASH, so that it is computed only once for
  /// all libraries; 0: not known.
  uint32_t hash = 0;
  uint16_t ordinal = 0;    ///< PE
  bool isOptional = false; ///< weak: the library loads without it

  /// The name, or the ordinal as `#12`.
  std::string text() const { return name.empty() ? "#" + std::to_string(ordinal) : name.str(); }
};

/// Whether a library exports a symbol, and for a forwarded one, which library defines it.
struct SymbolLookup {
  enum class Kind { Absent, Defined, Forwarded };
  Kind kind = Kind::Absent;
  bool hasNoVersions = false;       ///< ELF: a version is required, but the library defines none
  std::optional<size_t> dependency; ///< Mach-O: the dependency it is forwarded to
  llvm::StringRef library;          ///< PE: the DLL it is forwarded to, without ".dll"
  NeededSymbol symbol;              ///< its name there
};

/// An ELF symbol version that a library requires of another one; checked once, at load time.
struct NeededVersion {
  llvm::StringRef library;          ///< the name of the library that must define it
  std::optional<size_t> dependency; ///< the dependency with this name
  llvm::StringRef name;
  bool isOptional = false;
};

class SymbolTable {
public:
  virtual ~SymbolTable() = default;

  /// Mach-O: sorted by dependency, and for each one the required symbols first.
  virtual llvm::Expected<std::vector<NeededSymbol>> needed() const = 0;
  virtual SymbolLookup find(const NeededSymbol& wanted) const = 0;
  /// Looks up many symbols; some formats do this faster if the names are sorted.
  virtual void
  findEach(llvm::ArrayRef<NeededSymbol> wanted,
           llvm::function_ref<void(const NeededSymbol&, const SymbolLookup&)> report) const {
    for (const NeededSymbol& symbol : wanted)
      report(symbol, find(symbol));
  }

  /// False for a needed symbol that the loader never looks up, because nothing in the library
  /// refers to it: the linker only recorded it.
  virtual bool isReferenced(const NeededSymbol& /*symbol*/) const { return true; }

  virtual llvm::ArrayRef<NeededVersion> neededVersions() const { return {}; }
  /// True if the library defines the version, or no versions at all (the loader then only warns).
  virtual bool accepts(llvm::StringRef /*version*/) const { return true; }
};

} // namespace tcfix
