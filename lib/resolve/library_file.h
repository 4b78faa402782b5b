// A library file in a LibraryStore: mapped, inspected, its symbols opened when first asked for.
#pragma once

#include "base/error.h"
#include "io/file.h"
#include "resolve/library.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

#include <map>
#include <mutex>

namespace tcfix::resolve {

/// The symbols that a library looks for in vain, by the index of the dependency that should have
/// them; -1 where that could be any.
using MissingByDependency = std::map<int, std::vector<std::string>>;

class Library {
public:
  std::string path;               ///< the real host path
  Image image;                    ///< without slices where there is a problem
  std::optional<Problem> problem; ///< why it is no library

  /// The symbols for one architecture of the image; null if their tables are damaged.
  const SymbolTable* symbols(const std::string& arch) const;

  /// What it takes from other libraries; nothing if the tables are damaged.
  llvm::ArrayRef<NeededSymbol> needed(const std::string& arch) const;

  /// Which symbols are missing of one dependency, or of any, if these would answer it.
  struct SymbolQuestion {
    std::optional<size_t> dependency;
    std::vector<const void*> answerers;
    auto operator<=>(const SymbolQuestion&) const = default;
  };
  /// The answer to a question about this library's symbols. A plan asks the same one again and
  /// again.
  const MissingByDependency& missing(SymbolQuestion question,
                                     llvm::function_ref<MissingByDependency()> answer) const;

  /// True if all of its symbols were found before in tables that are all among these, with the same
  /// providers of its dependencies: a wider scope takes no symbol away.
  bool isKnownToBind(const std::vector<const void*>& providers,
                     const llvm::DenseSet<const void*>& tables) const;
  /// Remembers such tables.
  void keepBinders(const std::vector<const void*>& providers,
                   std::vector<const void*> binders) const;

  /// Those of the wanted scopes (explain.h) that something it exports lies in.
  llvm::StringSet<> exportedScopes(const llvm::StringSet<>& wanted) const;

private:
  friend class LibraryStore;
  void read(const io::TargetDisk& disk, std::optional<Bytes> replacement);

  std::once_flag isRead;
  std::optional<io::InputFile> file;
  Bytes bytes;
  mutable std::mutex mutex;
  struct Table {
    std::unique_ptr<SymbolTable> symbols;            ///< null: damaged
    std::optional<std::vector<NeededSymbol>> needed; ///< when it was first asked for
  };
  Table& table(const std::string& arch) const; ///< with the mutex locked

  mutable std::map<std::string, Table> tables;
  mutable std::map<SymbolQuestion, std::unique_ptr<const MissingByDependency>> answers;
  /// Sets of tables that hold all of its symbols, by the providers of its dependencies.
  mutable std::map<std::vector<const void*>, std::vector<std::vector<const void*>>> binders;
  mutable llvm::StringMap<bool> scopes; ///< those that were asked for
  mutable std::optional<Image> judged;  ///< when it was first asked for
};

} // namespace tcfix::resolve
