// Simulates how Windows finds and binds DLLs, and the helper inside DLLs that tcfix has converted
// (lib/pe/helper/helper.c). docs/loaders.md lists the rules.
#include "resolve/windows_names.h"
#include "resolve/windows_search.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::resolve {

namespace {

using State = Binding::State;

std::string folderOf(llvm::StringRef path) {
  return llvm::sys::path::parent_path(path).str();
}

/// Windows adds the default extension to a name without one.
std::string withExtension(llvm::StringRef name) {
  return name.contains('.') ? name.str() : name.str() + ".dll";
}

class Windows {
public:
  Windows(Process& process, LoadResult& result)
      : process(process), result(result), system32(resolve::system32(process)) {}

  /// One LoadLibraryEx call: maps the file and its imports, binds them, and initializes every new
  /// DLL. If that fails, nothing stays loaded, and the reasons are in `result.problems`.
  std::optional<size_t> load(const std::string& hostPath, const WindowsSearch& search,
                             std::optional<size_t> requester) {
    Candidate candidate = open(process, Format::Pe, hostPath);
    if (std::optional<size_t> same = process.findFile(*candidate.library))
      return same;
    if (candidate.outcome != Candidate::Outcome::Good) {
      result.problems.push_back(problemOf(hostPath, candidate));
      return std::nullopt;
    }
    const ModuleList before = process.modules;
    const size_t problems = result.problems.size();
    size_t module = addModule(process, candidate, hostPath, requester);
    map(module, search);
    const size_t end = process.modules.size();
    // Also if something is missing: the DLLs that were found may be incompatible as well.
    for (size_t i = before.size(); i < end && !process.trustsSymbols; ++i)
      checkSymbols(i, search, [&](size_t dependency) { return !isOurs(i, dependency); });
    // Imported DLLs are initialized before those that import them.
    for (size_t i = end; i-- > before.size() && result.problems.size() == problems;)
      start(i);
    if (result.problems.size() == problems)
      return module;
    process.modules = before;
    return std::nullopt;
  }

private:
  const Dependency& dependencyOf(size_t module, size_t index) const {
    return process.modules[module].dependencies()[index];
  }

  /// Delayed by tcfix and bound when the DLL is initialized.
  bool isOurs(size_t module, size_t index) const {
    const Dependency& dependency = dependencyOf(module, index);
    return dependency.kind == DependencyKind::Delay && !dependency.isLazy;
  }

  void map(size_t module, const WindowsSearch& search) {
    for (size_t i = 0; i < process.modules[module].dependencies().size(); ++i) {
      if (process.modules[module].isDropped(i) || isOurs(module, i))
        continue;
      Search trace(process, module, dependencyOf(module, i).name);
      if (dependencyOf(module, i).isLazy) {
        trace.binding.state = State::Optional;
        trace.binding.how = {FoundBy::Kind::PlatformRule, "bound at first call"};
        result.bindings.push_back(std::move(trace.binding));
        continue;
      }
      size_t before = process.modules.size();
      int provider = import(trace, module, withExtension(dependencyOf(module, i).name), search);
      process.modules.edit(module).providers[i] = provider;
      result.bindings.push_back(std::move(trace.binding));
      if (process.modules.size() > before)
        map(before, search);
    }
  }

  /// The module for an imported name; its own imports are not mapped yet.
  int import(Search& trace, size_t requester, const std::string& name,
             const WindowsSearch& search) {
    if (isApiSet(name))
      return taken(trace, State::System, "Windows");
    if (std::optional<size_t> loaded = findLoaded(name))
      return found(trace, *loaded, {FoundBy::Kind::AlreadyLoaded});
    const bool isKnown = isKnownDll(name);
    std::vector<const WindowsFolder*> missed;
    for (const WindowsFolder& folder : search) {
      if (isKnown && folder.path != system32)
        continue;
      std::optional<std::string> path = process.disk().find(folder.path, name);
      if (!path) {
        missed.push_back(&folder);
        continue;
      }
      noteMissed(trace, missed, name);
      Candidate candidate = open(process, Format::Pe, *path);
      if (std::optional<size_t> same = process.findFile(*candidate.library))
        return found(trace, *same, {FoundBy::Kind::AlreadyLoaded});
      if (candidate.outcome == Candidate::Outcome::Good)
        return found(trace, addModule(process, candidate, *path, requester), folder.how);
      // The first file with that name ends the search.
      trace.tried(targetOf(folder.path, name), candidate);
      return conclude(trace, requester, name);
    }
    if (!isAssumed(name))
      noteMissed(trace, missed, name);
    missSystem32(trace);
    return conclude(trace, requester, name);
  }

  void noteMissed(Search& trace, llvm::ArrayRef<const WindowsFolder*> folders,
                  const std::string& name) const {
    for (const WindowsFolder* folder : folders)
      trace.tried(targetOf(folder->path, name), "not found");
  }

  /// A part of a Windows that is not on this machine.
  bool isAssumed(llvm::StringRef name) const { return !system32 && isWindowsLibrary(name); }

  /// The result of a search that found nothing.
  int conclude(Search& trace, size_t requester, llvm::StringRef name) {
    if (isInterpreter(name))
      return taken(trace, State::Assumed, "the interpreter");
    if (isAssumed(name))
      return taken(trace, State::Assumed, "part of Windows");
    if (trace.hasUnknownPlaces)
      return taken(trace, State::Unknown, "");
    trace.binding.state = State::Missing;
    result.problems.push_back(problemOf(process, requester, trace));
    return kAbsent;
  }

  /// Every search ends there, and in folders that programs add. If they are not on this machine,
  /// they may contain anything.
  void missSystem32(Search& trace) const {
    if (process.disk().knowsAbsolutePaths())
      return;
    trace.hasUnknownPlaces = true;
    trace.tried("System32", "not on this machine");
  }

  static int taken(Search& trace, State state, const char* how) {
    trace.binding.state = state;
    if (*how)
      trace.binding.how = {FoundBy::Kind::PlatformRule, how};
    return kElsewhere;
  }

  int found(Search& trace, size_t module, const FoundBy& how) {
    trace.found(process.modules[module], how);
    return static_cast<int>(module);
  }

  std::string targetOf(llvm::StringRef folder, llvm::StringRef name) const {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return process.disk().targetPath(path);
  }

  /// A loaded module with this file name, in any folder.
  std::optional<size_t> findLoaded(llvm::StringRef name) const {
    for (size_t i = 0; i < process.modules.size(); ++i)
      if (name.equals_insensitive(process.modules[i].fileName))
        return i;
    return std::nullopt;
  }

  void checkSymbols(size_t importer, const WindowsSearch& search,
                    llvm::function_ref<bool(size_t dependency)> isWanted) {
    for (size_t i = 0; i < process.modules[importer].providers.size(); ++i) {
      const int provider = process.modules[importer].providers[i];
      if (provider < 0 || !isWanted(i))
        continue;
      std::vector<std::string> missing = missingFrom(importer, i, search);
      if (!missing.empty())
        result.problems.push_back(missingSymbols(process, importer, dependencyOf(importer, i).name,
                                                 process.modules[provider].path,
                                                 std::move(missing)));
    }
  }

  /// The symbols that a dependency lacks. Unless it forwards some of them, that depends only on the
  /// two files, and is looked up once for all processes.
  std::vector<std::string> missingFrom(size_t importer, size_t dependency,
                                       const WindowsSearch& search) const {
    constexpr int kForwarded = -1;
    const Module& module = process.modules[importer];
    const Module& provider = process.modules[module.providers[dependency]];
    const SymbolTable* table = provider.symbols();
    if (!table)
      return {}; // unknown
    const llvm::ArrayRef<NeededSymbol> needed = module.library->needed(module.slice->arch);
    const MissingByDependency& known =
        module.library->missing({dependency, {module.slice, provider.slice}}, [&] {
          MissingByDependency missing;
          for (const NeededSymbol& symbol : needed) {
            if (symbol.dependency != dependency)
              continue;
            const SymbolLookup lookup = table->find(symbol);
            if (lookup.kind == SymbolLookup::Kind::Absent)
              missing[static_cast<int>(dependency)].push_back(symbol.text());
            if (lookup.kind == SymbolLookup::Kind::Forwarded)
              missing[kForwarded].push_back(symbol.text());
          }
          return missing;
        });
    std::vector<std::string> missing;
    if (!known.count(kForwarded)) {
      if (auto own = known.find(static_cast<int>(dependency)); own != known.end())
        missing = own->second;
      return missing;
    }
    for (const NeededSymbol& symbol : needed)
      if (symbol.dependency == dependency &&
          !provides(*provider.library, provider.slice->arch, symbol, search, 0))
        missing.push_back(symbol.text());
    return missing;
  }

  /// Whether a DLL has the symbol, or forwards it to one that does.
  bool provides(const Library& library, const std::string& arch, const NeededSymbol& wanted,
                const WindowsSearch& search, unsigned hops) const {
    const SymbolTable* table = library.symbols(arch);
    if (!table)
      return true; // unknown
    SymbolLookup lookup = table->find(wanted);
    if (lookup.kind != SymbolLookup::Kind::Forwarded)
      return lookup.kind == SymbolLookup::Kind::Defined;
    std::string name = lookup.library.str() + ".dll";
    if (isApiSet(name) || isInterpreter(name) || hops > kMostHops)
      return true;
    if (std::optional<size_t> loaded = findLoaded(name))
      return provides(*process.modules[*loaded].library, arch, lookup.symbol, search, hops + 1);
    for (const WindowsFolder& folder : search)
      if (std::optional<std::string> path = process.disk().find(folder.path, name)) {
        Candidate candidate = open(process, Format::Pe, *path);
        return candidate.outcome == Candidate::Outcome::Good &&
               provides(*candidate.library, arch, lookup.symbol, search, hops + 1);
      }
    return isAssumed(name);
  }

  /// Simulates the helper, which runs before a converted DLL's own code.
  void start(size_t module) {
    for (size_t i = 0; i < process.modules[module].dependencies().size(); ++i) {
      if (process.modules[module].isDropped(i) || !isOurs(module, i))
        continue;
      const std::string name = dependencyOf(module, i).name;
      const size_t problems = result.problems.size();
      Search trace(process, module, name);
      std::vector<LoadProblem> causes;
      std::optional<size_t> loaded = bind(trace, module, withExtension(name), causes);
      if (loaded) {
        process.modules.edit(module).providers[i] = static_cast<int>(*loaded);
        checkSymbols(module, modernSearch(process, folderOf(process.modules[*loaded].path)),
                     [&](size_t dependency) { return dependency == i; });
      } else if (isInterpreter(name) || isAssumed(name)) {
        process.modules.edit(module).providers[i] = taken(trace, State::Assumed, "part of Windows");
      } else if (trace.hasUnknownPlaces) {
        process.modules.edit(module).providers[i] = taken(trace, State::Unknown, "");
      } else {
        trace.binding.state = State::Missing;
        // A DLL that was found, but lacks a dependency itself, is the actual cause.
        llvm::append_range(result.problems, causes);
        result.problems.push_back(problemOf(process, module, trace));
      }
      result.bindings.push_back(std::move(trace.binding));
      if (result.problems.size() > problems)
        return;
    }
  }

  /// load() in the helper: the embedded list, the name alone as Python would search for it, the
  /// DLL's own folder, and the name alone with PATH.
  std::optional<size_t> bind(Search& trace, size_t module, const std::string& name,
                             std::vector<LoadProblem>& causes) {
    const std::vector<std::string> entries = process.modules[module].searchPaths();
    for (const std::string& entry : entries)
      if (std::optional<size_t> loaded = loadFrom(trace, module, entry, name, causes))
        return loaded;
    if (std::optional<size_t> loaded =
            loadPlain(trace, module, name, modernSearch(process, {}), causes))
      return loaded;
    if (std::optional<size_t> loaded = loadFrom(trace, module, "$ORIGIN", name, causes))
      return loaded;
    if (std::optional<size_t> loaded =
            loadPlain(trace, module, name, classicSearch(process, {}), causes))
      return loaded;
    if (causes.empty())
      missSystem32(trace);
    return std::nullopt;
  }

  std::optional<size_t> loadFrom(Search& trace, size_t module, const std::string& entry,
                                 const std::string& name, std::vector<LoadProblem>& causes) {
    WindowsEntry place = entryOf(process, entry, folderOf(process.modules[module].path));
    if (!place.folder) {
      trace.hasUnknownPlaces |= place.isUnknown;
      trace.tried(entry, place.isUnknown ? "not on this machine" : "not an absolute path");
      return std::nullopt;
    }
    std::optional<std::string> path = process.disk().find(*place.folder, place.rest + "/" + name);
    if (!path) {
      trace.tried(targetOf(*place.folder + place.rest, name), "not found");
      return std::nullopt;
    }
    const std::string folder = folderOf(*path);
    const FoundBy how{FoundBy::Kind::SearchPath, entry};
    std::optional<size_t> loaded =
        attempt(trace, module, *path, modernSearch(process, folder), how, causes);
    // Its dependencies may be on PATH.
    return loaded ? loaded
                  : attempt(trace, module, *path, classicSearch(process, folder), how, causes);
  }

  std::optional<size_t> loadPlain(Search& trace, size_t module, const std::string& name,
                                  const WindowsSearch& search, std::vector<LoadProblem>& causes) {
    if (std::optional<size_t> loaded = findLoaded(name)) {
      found(trace, *loaded, {FoundBy::Kind::AlreadyLoaded});
      return loaded;
    }
    for (const WindowsFolder& folder : search)
      if (std::optional<std::string> path = process.disk().find(folder.path, name))
        return attempt(trace, module, *path, search, folder.how, causes);
      else
        trace.tried(targetOf(folder.path, name), "not found");
    return std::nullopt;
  }

  /// A load whose failure is only recorded.
  std::optional<size_t> attempt(Search& trace, size_t module, const std::string& path,
                                const WindowsSearch& search, const FoundBy& how,
                                std::vector<LoadProblem>& causes) {
    const size_t problems = result.problems.size(), bindings = result.bindings.size();
    std::optional<size_t> loaded;
    if (++depth <= kMostHops)
      loaded = load(path, search, module);
    --depth;
    if (loaded) {
      found(trace, *loaded, how);
      return loaded;
    }
    std::vector<LoadProblem> reasons(result.problems.begin() + problems, result.problems.end());
    trace.tried(process.disk().targetPath(path),
                reasons.empty() ? "failed to load" : reasons.front().message);
    if (causes.empty())
      causes = std::move(reasons);
    result.problems.resize(problems);
    result.bindings.resize(bindings);
    return std::nullopt;
  }

  // Limits cycles of forwarders and of DLLs that load one another.
  static constexpr unsigned kMostHops = 64;

  Process& process;
  LoadResult& result;
  const std::optional<std::string> system32; ///< a host path; nothing if it is not on this machine
  unsigned depth = 0;
};

} // namespace

LoadResult loadByWindows(Process& process, const std::string& hostPath) {
  LoadResult result;
  Windows(process, result).load(hostPath, modernSearch(process, folderOf(hostPath)), std::nullopt);
  return result;
}

} // namespace tcfix::resolve
