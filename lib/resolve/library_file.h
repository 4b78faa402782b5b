// A library file in a LibraryStore: mapped and inspected; its symbols are opened on first use.
#pragma once

#include "base/error.h"
#include "io/file.h"
#include "resolve/library.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

#include <atomic>
#include <map>
#include <mutex>

namespace tcfix::resolve {

/// The symbols that are missing for a library, by the index of the dependency that should have
/// them; -1 if that could be any.
using MissingByDependency = std::map<int, std::vector<std::string>>;

class Library {
public:
  std::string path;               ///< the real host path
  Image image;                    ///< without slices if there is a problem
  std::optional<Problem> problem; ///< why it is not a library

  /// The symbols for one architecture of the image; null if their tables are corrupt.
  const SymbolTable* symbols(const std::string& arch) const;

  /// The symbols that it imports; none if the tables are corrupt.
  llvm::ArrayRef<NeededSymbol> needed(const std::string& arch) const;

  /// Looks up symbols in its table for this architecture, which must exist. Caches what it found:
  /// the libraries of a package need much the same symbols of torch.
  void findEach(const std::string& arch, llvm::ArrayRef<NeededSymbol> wanted,
                llvm::function_ref<void(const NeededSymbol&, const SymbolLookup&)> report) const;

  /// Key of a cached lookup: the symbols of one dependency (or of any), and the libraries that they
  /// are looked up in.
  struct SymbolQuery {
    std::optional<size_t> dependency;
    std::vector<const void*> providers;
    auto operator<=>(const SymbolQuery&) const = default;
  };
  /// The missing symbols for a query, computed once: plans repeat the same queries many times.
  const MissingByDependency& missing(SymbolQuery query,
                                     llvm::function_ref<MissingByDependency()> compute) const;

  /// True if all of its symbols were found before in tables that are all among these, with the same
  /// providers of its dependencies: a wider scope hides no symbol.
  bool isKnownToBind(const std::vector<const void*>& providers,
                     const llvm::DenseSet<const void*>& tables) const;
  /// Remembers such tables.
  void keepBinders(const std::vector<const void*>& providers,
                   std::vector<const void*> binders) const;

  /// The wanted scopes (explain.h) in which it exports a symbol.
  llvm::StringSet<> exportedScopes(const llvm::StringSet<>& wanted) const;

private:
  friend class LibraryStore;
  void read(const io::TargetDisk& disk, std::optional<Bytes> replacement);

  std::mutex reading;
  std::atomic<bool> isRead = false;
  std::shared_ptr<const io::InputFile> file;
  Bytes bytes;
  mutable std::mutex mutex;
  struct Table {
    std::unique_ptr<SymbolTable> symbols;            ///< null: corrupt
    std::optional<std::vector<NeededSymbol>> needed; ///< set on first use
    llvm::StringMap<bool> isDefined;                 ///< or absent: what findEach found
  };
  Table& table(const std::string& arch) const; ///< with the mutex locked

  mutable std::map<std::string, Table> tables;
  mutable std::map<SymbolQuery, std::unique_ptr<const MissingByDependency>> queries;
  /// Sets of tables that contain all of its symbols, by the providers of its dependencies.
  mutable std::map<std::vector<const void*>, std::vector<std::vector<const void*>>> binders;
  mutable llvm::StringMap<bool> scopes; ///< those requested so far
  mutable std::optional<Image> judged;  ///< set on first use
};

} // namespace tcfix::resolve
