// What the three simulated loaders share: the libraries in a process, and the record of a load for
// the caller.
#pragma once

#include "resolve/library_file.h"
#include "resolve/session.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/iterator.h>

namespace tcfix::resolve {

class LdSoSystem;

/// A library in the simulated process.
struct Module {
  const Library* library = nullptr;
  const Slice* slice = nullptr;
  std::shared_ptr<const LibraryOverride> replaced;
  std::string path;                 ///< the host path that it was loaded by
  std::string targetPath;           ///< the same as a target path
  std::string fileName;             ///< the last component of the path
  std::optional<size_t> loader;     ///< the first module that required it
  std::vector<std::string> aliases; ///< other names that it was found by
  /// For each dependency, the module that provides it, or one of the two values below.
  std::vector<int> providers;

  llvm::ArrayRef<Dependency> dependencies() const;
  llvm::ArrayRef<std::string> searchPaths() const;
  std::optional<SearchPathKind> searchPathKind() const;
  bool isDropped(size_t dependency) const;
  const SymbolTable* symbols() const { return library->symbols(slice->arch); }
  /// True for the library's identity, the path that it was loaded by and its aliases.
  bool isNamed(llvm::StringRef name) const;
};

/// The modules of a process, in the order of loading. Copies share them: a plan tries many
/// processes that differ in the last few.
class ModuleList {
public:
  size_t size() const { return modules.size(); }
  bool empty() const { return modules.empty(); }
  const Module& operator[](size_t index) const { return *modules[index]; }
  auto begin() const { return Iterator(modules.begin()); }
  auto end() const { return Iterator(modules.end()); }

  /// For changes: a module that others share is copied first.
  Module& edit(size_t index) {
    std::shared_ptr<Module>& module = modules[index];
    if (module.use_count() > 1)
      module = std::make_shared<Module>(*module);
    return *module;
  }
  void push_back(Module module) { modules.push_back(std::make_shared<Module>(std::move(module))); }

private:
  using Shared = std::vector<std::shared_ptr<Module>>;
  using Iterator = llvm::pointee_iterator<Shared::const_iterator, const Module>;

  Shared modules;
};

/// Not on this machine: every symbol counts as present.
constexpr int kElsewhere = -1;
/// Missing: it provides no symbols.
constexpr int kAbsent = -2;

struct Process;
/// Identifies a provider in a SymbolQuery.
const void* providerKey(const Process& process, int provider);

/// A value: a copy is a process in the same state.
struct Process {
  LibraryStore* store = nullptr;
  ProcessOptions options;
  std::map<std::string, std::shared_ptr<const LibraryOverride>> overrides; ///< by real host path
  ModuleList modules;
  bool trustsSymbols = false;             ///< only dependencies are checked
  bool isShallow = false;                 ///< only a library's own dependencies are looked for
  bool hasExecutable = false;             ///< then it is the first module
  size_t globalCount = 0;                 ///< the executable and its dependencies
  std::shared_ptr<const LdSoSystem> ldSo; ///< set on first use

  const io::TargetDisk& disk() const { return store->disk(); }
  /// The value of a variable of the target's environment; empty if it is not set.
  llvm::StringRef variable(const std::string& name) const;
  /// The module with this identity, path or alias.
  std::optional<size_t> findNamed(llvm::StringRef name) const;
  /// The module loaded from this file, by any path.
  std::optional<size_t> findFile(const Library& library) const;
};

/// A file that the loader considers.
struct Candidate {
  enum class Outcome { Good, OtherArchitecture, Unreadable };
  Outcome outcome = Outcome::Unreadable;
  const Library* library = nullptr;
  const Slice* slice = nullptr;
  std::string complaint; ///< why it cannot be used; empty if Good
};

/// Opens a file as a library of this format for the process's architecture.
Candidate open(const Process& process, Format format, const std::string& hostPath);

/// Adds a module for a good candidate; its providers are still kAbsent.
size_t addModule(Process& process, const Candidate& candidate, std::string hostPath,
                 std::optional<size_t> loader);

/// A search for one dependency: what was tried, and why it failed.
struct Search {
  Binding binding;
  bool hasUnknownPlaces = false;
  bool hasOtherArchitecture = false;
  std::string unreadable; ///< host path of a file that ended the search and is not a library

  Search(const Process& process, size_t requester, llvm::StringRef dependency);
  void tried(std::string place, std::string outcome);
  /// Records why a candidate cannot be used.
  void tried(std::string place, const Candidate& candidate);
  void found(const Module& provider, FoundBy how);
};

/// The beginning of a message: the library, and what required it.
std::string describeRequester(const Process& process, size_t module);

/// The problem: the library to load cannot be used.
LoadProblem problemOf(const std::string& hostPath, const Candidate& candidate);

/// The problem: a dependency was not found.
LoadProblem problemOf(const Process& process, size_t requester, const Search& search);

/// The problem: symbols are missing. `provider` may be empty.
LoadProblem missingSymbols(const Process& process, size_t importer, llvm::StringRef dependency,
                           llvm::StringRef provider, std::vector<std::string> symbols);

/// Derives the verdict from problems and bindings.
void setVerdict(LoadResult& result);

/// The simulated loaders: each loads `hostPath` into the process, whose state is undefined if that
/// fails.
LoadResult loadByDyld(Process& process, const std::string& hostPath);
LoadResult loadByLdSo(Process& process, const std::string& hostPath);
LoadResult loadByWindows(Process& process, const std::string& hostPath);

/// Parts of two of them: bind the symbols of the modules from `firstNew` or `root` on. The first of
/// these is the library that is being loaded.
void bindByDyld(const Process& process, size_t firstNew, LoadResult& result);
void bindByLdSo(const Process& process, size_t root, LoadResult& result);

/// Starts a python whose program is unknown: only what every python loads.
void startPythonByLdSo(Process& process);

} // namespace tcfix::resolve
