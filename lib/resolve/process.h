// What the three simulated loaders have in common: the libraries in a process, and the story of one
// load as it is told to the caller.
#pragma once

#include "resolve/library_file.h"
#include "resolve/session.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace tcfix::resolve {

class LdSoSystem;

/// A library in the simulated process.
struct Module {
  const Library* library = nullptr;
  const Slice* slice = nullptr;
  std::shared_ptr<const LibraryOverride> replaced;
  std::string path;                 ///< the host path that the loader knows it by
  std::string targetPath;           ///< the same as the target calls it
  std::optional<size_t> loader;     ///< the module that asked for it first
  std::vector<std::string> aliases; ///< other names that it was found by
  /// For each dependency the module that was taken for it, or one of the two values below.
  std::vector<int> providers;

  llvm::ArrayRef<Dependency> dependencies() const;
  llvm::ArrayRef<std::string> searchPaths() const;
  std::optional<SearchPathKind> searchPathKind() const;
  bool isDropped(size_t dependency) const;
  const SymbolTable* symbols() const { return library->symbols(slice->arch); }
  /// True for the library's own name and for the path that it was loaded by.
  bool isCalled(llvm::StringRef name) const {
    return targetPath == name || (slice->identity && *slice->identity == name);
  }
};

/// Out of reach: whatever is asked of it counts as present.
constexpr int kElsewhere = -1;
/// Missing, and nothing can be had of it.
constexpr int kAbsent = -2;

struct Process;
/// What stands for a provider in a question about symbols.
const void* answererOf(const Process& process, int provider);

/// A value: a copy is a process in the same state.
struct Process {
  LibraryStore* store = nullptr;
  ProcessOptions options;
  std::map<std::string, std::shared_ptr<const LibraryOverride>> overrides; ///< by real host path
  std::vector<Module> modules;
  bool trustsSymbols = false;             ///< only dependencies are looked for
  bool hasExecutable = false;             ///< then it is the first module
  size_t globalCount = 0;                 ///< the executable and what it brought in
  std::shared_ptr<const LdSoSystem> ldSo; ///< made when it is first needed

  const io::TargetDisk& disk() const { return store->disk(); }
  /// The value of a variable of the target's environment; empty if it is not set.
  llvm::StringRef variable(const std::string& name) const;
  /// The module that was made from this file, under whatever path.
  std::optional<size_t> findFile(const Library& library) const;
};

/// A file that the loader has come across.
struct Candidate {
  enum class Outcome { Good, OtherArchitecture, Unreadable };
  Outcome outcome = Outcome::Unreadable;
  const Library* library = nullptr;
  const Slice* slice = nullptr;
  std::string complaint; ///< unless it is good
};

/// Opens a file as a library of this format for the process's architecture.
Candidate open(const Process& process, Format format, const std::string& hostPath);

/// Adds a module for a good candidate; its providers are still kAbsent.
size_t addModule(Process& process, const Candidate& candidate, std::string hostPath,
                 std::optional<size_t> loader);

/// A search for one dependency: what was tried, and what it shows if nothing served.
struct Search {
  Binding binding;
  bool hasUnknownPlaces = false;
  bool hasOtherArchitecture = false;
  std::string unreadable; ///< host path of a file in the way that is no library

  Search(const Process& process, size_t requester, llvm::StringRef dependency);
  void tried(std::string place, std::string outcome);
  /// Tells how a candidate failed.
  void tried(std::string place, const Candidate& candidate);
  void found(const Module& provider, FoundBy how);
};

/// The sentence's beginning: the library, and who brought it in.
std::string describeRequester(const Process& process, size_t module);

/// The problem that the library to load cannot be used.
LoadProblem problemOf(const std::string& hostPath, const Candidate& candidate);

/// The problem that a fruitless search is.
LoadProblem problemOf(const Process& process, size_t requester, const Search& search);

/// The problem that symbols are missing. `provider` may be empty.
LoadProblem missingSymbols(const Process& process, size_t importer, llvm::StringRef dependency,
                           llvm::StringRef provider, std::vector<std::string> symbols);

/// The verdict that problems and bindings amount to.
void judge(LoadResult& result);

/// The simulated loaders: each loads `hostPath` into the process, which it leaves in pieces if that
/// fails.
LoadResult loadByDyld(Process& process, const std::string& hostPath);
LoadResult loadByLdSo(Process& process, const std::string& hostPath);
LoadResult loadByWindows(Process& process, const std::string& hostPath);

/// A python of whose program nothing is known but what every one brings in.
void startPythonByLdSo(Process& process);

} // namespace tcfix::resolve
