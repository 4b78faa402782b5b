// Windows' loader, as far as finding and binding DLLs goes, and the helper inside DLLs that tcfix
// has converted (lib/pe/helper/helper.c). docs/loaders.md has the rules.
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

/// Windows adds the usual extension to a name that has none.
std::string withExtension(llvm::StringRef name) {
  return name.contains('.') ? name.str() : name.str() + ".dll";
}

class Windows {
public:
  Windows(Process& process, LoadResult& result) : process(process), result(result) {}

  /// One LoadLibraryEx: maps the file with all that it imports, binds, and starts every new DLL.
  /// Nothing stays behind if that fails; then the reasons are in `result.problems`.
  std::optional<size_t> load(const std::string& hostPath, const WindowsSearch& search,
                             std::optional<size_t> requester) {
    Candidate candidate = open(process, Format::Pe, hostPath);
    if (std::optional<size_t> same = process.findFile(*candidate.library))
      return same;
    if (candidate.outcome != Candidate::Outcome::Good) {
      result.problems.push_back(problemOf(hostPath, candidate));
      return std::nullopt;
    }
    const std::vector<Module> before = process.modules;
    const size_t problems = result.problems.size();
    size_t module = addModule(process, candidate, hostPath, requester);
    map(module, search);
    const size_t end = process.modules.size();
    // Also where something is missing: what was found may not fit either.
    for (size_t i = before.size(); i < end && !process.trustsSymbols; ++i)
      checkSymbols(i, search, [&](size_t dependency) { return !isOurs(i, dependency); });
    // Those that are imported start before those that import them.
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

  /// Delayed by tcfix and bound when the DLL starts.
  bool isOurs(size_t module, size_t index) const {
    const Dependency& dependency = dependencyOf(module, index);
    return dependency.kind == DependencyKind::Delay && !dependency.isLazy;
  }

  void map(size_t module, const WindowsSearch& search) {
    for (size_t i = 0; i < process.modules[module].dependencies().size(); ++i) {
      if (process.modules[module].isDropped(i) || isOurs(module, i))
        continue;
      Search story(process, module, dependencyOf(module, i).name);
      if (dependencyOf(module, i).isLazy) {
        story.binding.state = State::Optional;
        story.binding.how = {FoundBy::Kind::PlatformRule, "bound at first use"};
        result.bindings.push_back(std::move(story.binding));
        continue;
      }
      size_t before = process.modules.size();
      int provider = import(story, module, withExtension(dependencyOf(module, i).name), search);
      process.modules[module].providers[i] = provider;
      result.bindings.push_back(std::move(story.binding));
      if (process.modules.size() > before)
        map(before, search);
    }
  }

  /// The module for an imported name, its own imports not yet mapped.
  int import(Search& story, size_t requester, const std::string& name,
             const WindowsSearch& search) {
    if (isApiSet(name))
      return taken(story, State::System, "Windows");
    if (std::optional<size_t> loaded = findLoaded(name))
      return found(story, *loaded, {FoundBy::Kind::AlreadyLoaded});
    for (const WindowsFolder& folder : search) {
      if (isKnownDll(name) && folder.path != system32(process))
        continue;
      std::optional<std::string> path = process.disk().find(folder.path, name);
      if (!path) {
        story.tried(targetOf(folder.path, name), "not there");
        continue;
      }
      Candidate candidate = open(process, Format::Pe, *path);
      if (std::optional<size_t> same = process.findFile(*candidate.library))
        return found(story, *same, {FoundBy::Kind::AlreadyLoaded});
      if (candidate.outcome == Candidate::Outcome::Good)
        return found(story, addModule(process, candidate, *path, requester), folder.how);
      // The first file of that name decides.
      story.tried(targetOf(folder.path, name), candidate);
      return conclude(story, requester, name);
    }
    missSystem32(story);
    return conclude(story, requester, name);
  }

  /// What it means that nothing was found.
  int conclude(Search& story, size_t requester, llvm::StringRef name) {
    if (isInterpreter(name))
      return taken(story, State::Assumed, "the interpreter");
    if (isWindowsLibrary(name) && !system32(process))
      return taken(story, State::Assumed, "part of Windows");
    if (story.hasUnknownPlaces)
      return taken(story, State::Unknown, "");
    story.binding.state = State::Missing;
    result.problems.push_back(problemOf(process, requester, story));
    return kAbsent;
  }

  /// Every search ends there, and in folders that programs add; on a disk that cannot be seen
  /// anything may lie in them.
  void missSystem32(Search& story) const {
    if (process.disk().knowsAbsolutePaths())
      return;
    story.hasUnknownPlaces = true;
    story.tried("System32", "out of reach");
  }

  static int taken(Search& story, State state, const char* how) {
    story.binding.state = state;
    if (*how)
      story.binding.how = {FoundBy::Kind::PlatformRule, how};
    return kElsewhere;
  }

  int found(Search& story, size_t module, const FoundBy& how) {
    story.found(process.modules[module], how);
    return static_cast<int>(module);
  }

  std::string targetOf(llvm::StringRef folder, llvm::StringRef name) const {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return process.disk().targetPath(path);
  }

  /// By the name of its file, whatever its folder.
  std::optional<size_t> findLoaded(llvm::StringRef name) const {
    for (size_t i = 0; i < process.modules.size(); ++i)
      if (llvm::sys::path::filename(process.modules[i].path).equals_insensitive(name))
        return i;
    return std::nullopt;
  }

  void checkSymbols(size_t importer, const WindowsSearch& search,
                    llvm::function_ref<bool(size_t dependency)> isWanted) {
    std::map<size_t, std::vector<std::string>> missing; // by dependency
    const Module& module = process.modules[importer];
    for (const NeededSymbol& symbol : module.library->needed(module.slice->arch)) {
      // A helper that a plan would add brings imports of its own, which Windows has.
      size_t dependency = *symbol.dependency;
      if (dependency >= module.providers.size() || !isWanted(dependency))
        continue;
      int provider = module.providers[dependency];
      if (provider >= 0 && !offers(*process.modules[provider].library,
                                   process.modules[provider].slice->arch, symbol, search, 0))
        missing[dependency].push_back(symbol.text());
    }
    for (auto& [dependency, symbols] : missing)
      result.problems.push_back(
          missingSymbols(process, importer, dependencyOf(importer, dependency).name,
                         process.modules[process.modules[importer].providers[dependency]].path,
                         std::move(symbols)));
  }

  /// Whether a DLL has the symbol, or forwards it to one that has.
  bool offers(const Library& library, const std::string& arch, const NeededSymbol& wanted,
              const WindowsSearch& search, unsigned hops) const {
    const SymbolTable* table = library.symbols(arch);
    if (!table)
      return true; // nothing can be said of it
    SymbolLookup offer = table->find(wanted);
    if (offer.kind != SymbolLookup::Kind::Forwarded)
      return offer.kind == SymbolLookup::Kind::Defined;
    std::string name = offer.library.str() + ".dll";
    if (isApiSet(name) || isInterpreter(name) || hops > kMostHops)
      return true;
    if (std::optional<size_t> loaded = findLoaded(name))
      return offers(*process.modules[*loaded].library, arch, offer.symbol, search, hops + 1);
    for (const WindowsFolder& folder : search)
      if (std::optional<std::string> path = process.disk().find(folder.path, name)) {
        Candidate candidate = open(process, Format::Pe, *path);
        return candidate.outcome == Candidate::Outcome::Good &&
               offers(*candidate.library, arch, offer.symbol, search, hops + 1);
      }
    return isWindowsLibrary(name) && !system32(process);
  }

  /// What the helper does before a converted DLL's own code runs.
  void start(size_t module) {
    for (size_t i = 0; i < process.modules[module].dependencies().size(); ++i) {
      if (process.modules[module].isDropped(i) || !isOurs(module, i))
        continue;
      const std::string name = dependencyOf(module, i).name;
      const size_t problems = result.problems.size();
      Search story(process, module, name);
      std::vector<LoadProblem> causes;
      std::optional<size_t> loaded = bind(story, module, withExtension(name), causes);
      if (loaded) {
        process.modules[module].providers[i] = static_cast<int>(*loaded);
        checkSymbols(module, modernSearch(process, folderOf(process.modules[*loaded].path)),
                     [&](size_t dependency) { return dependency == i; });
      } else if (isInterpreter(name) || (isWindowsLibrary(name) && !system32(process))) {
        process.modules[module].providers[i] = taken(story, State::Assumed, "part of Windows");
      } else if (story.hasUnknownPlaces) {
        process.modules[module].providers[i] = taken(story, State::Unknown, "");
      } else {
        story.binding.state = State::Missing;
        // One that is there, and lacks something itself, is the deeper cause.
        llvm::append_range(result.problems, causes);
        result.problems.push_back(problemOf(process, module, story));
      }
      result.bindings.push_back(std::move(story.binding));
      if (result.problems.size() > problems)
        return;
    }
  }

  /// load() of the helper: the embedded list, the plain name as Python would search for it, the
  /// DLL's own folder, and the plain name with PATH.
  std::optional<size_t> bind(Search& story, size_t module, const std::string& name,
                             std::vector<LoadProblem>& causes) {
    const std::vector<std::string> entries = process.modules[module].searchPaths();
    for (const std::string& entry : entries)
      if (std::optional<size_t> loaded = loadFrom(story, module, entry, name, causes))
        return loaded;
    if (std::optional<size_t> loaded =
            loadPlain(story, module, name, modernSearch(process, {}), causes))
      return loaded;
    if (std::optional<size_t> loaded = loadFrom(story, module, "$ORIGIN", name, causes))
      return loaded;
    if (std::optional<size_t> loaded =
            loadPlain(story, module, name, classicSearch(process, {}), causes))
      return loaded;
    if (causes.empty())
      missSystem32(story);
    return std::nullopt;
  }

  std::optional<size_t> loadFrom(Search& story, size_t module, const std::string& entry,
                                 const std::string& name, std::vector<LoadProblem>& causes) {
    WindowsEntry place = entryOf(process, entry, folderOf(process.modules[module].path));
    if (!place.folder) {
      story.hasUnknownPlaces |= place.isUnknown;
      story.tried(entry, place.isUnknown ? "out of reach" : "means no folder");
      return std::nullopt;
    }
    std::optional<std::string> path = process.disk().find(*place.folder, place.rest + "/" + name);
    if (!path) {
      story.tried(targetOf(*place.folder + place.rest, name), "not there");
      return std::nullopt;
    }
    const std::string folder = folderOf(*path);
    const FoundBy how{FoundBy::Kind::SearchPath, entry};
    std::optional<size_t> loaded =
        attempt(story, module, *path, modernSearch(process, folder), how, causes);
    // Its dependencies may be on PATH.
    return loaded ? loaded
                  : attempt(story, module, *path, classicSearch(process, folder), how, causes);
  }

  std::optional<size_t> loadPlain(Search& story, size_t module, const std::string& name,
                                  const WindowsSearch& search, std::vector<LoadProblem>& causes) {
    if (std::optional<size_t> loaded = findLoaded(name)) {
      found(story, *loaded, {FoundBy::Kind::AlreadyLoaded});
      return loaded;
    }
    for (const WindowsFolder& folder : search)
      if (std::optional<std::string> path = process.disk().find(folder.path, name))
        return attempt(story, module, *path, search, folder.how, causes);
      else
        story.tried(targetOf(folder.path, name), "not there");
    return std::nullopt;
  }

  /// A load that may fail without harm; its reason is kept.
  std::optional<size_t> attempt(Search& story, size_t module, const std::string& path,
                                const WindowsSearch& search, const FoundBy& how,
                                std::vector<LoadProblem>& causes) {
    const size_t problems = result.problems.size(), bindings = result.bindings.size();
    std::optional<size_t> loaded;
    if (++depth <= kMostHops)
      loaded = load(path, search, module);
    --depth;
    if (loaded) {
      found(story, *loaded, how);
      return loaded;
    }
    std::vector<LoadProblem> reasons(result.problems.begin() + problems, result.problems.end());
    story.tried(process.disk().targetPath(path),
                reasons.empty() ? "does not load" : reasons.front().message);
    if (causes.empty())
      causes = std::move(reasons);
    result.problems.resize(problems);
    result.bindings.resize(bindings);
    return std::nullopt;
  }

  // Forwarders, and DLLs that load one another, must come to an end.
  static constexpr unsigned kMostHops = 64;

  Process& process;
  LoadResult& result;
  unsigned depth = 0;
};

} // namespace

LoadResult loadByWindows(Process& process, const std::string& hostPath) {
  LoadResult result;
  Windows(process, result).load(hostPath, modernSearch(process, folderOf(hostPath)), std::nullopt);
  return result;
}

} // namespace tcfix::resolve
