// Simulates how glibc's ld.so finds and binds libraries. docs/loaders.md lists its rules, with
// references to glibc's sources.
#include "resolve/ld_so_places.h"
#include "resolve/process.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::resolve {

namespace {

using State = Binding::State;

const LdSoSystem& systemOf(Process& process) {
  if (!process.ldSo)
    process.ldSo = std::make_shared<const LdSoSystem>(process.disk(), process.options.arch);
  return *process.ldSo;
}

class LdSo {
public:
  LdSo(Process& process, LoadResult& result)
      : process(process), system(systemOf(process)), result(result),
        firstNew(process.modules.size()) {}

  void run(const std::string& hostPath) {
    Candidate candidate = open(process, Format::Elf, hostPath);
    if (process.findFile(*candidate.library))
      return;
    if (candidate.outcome != Candidate::Outcome::Good)
      return result.problems.push_back(problemOf(hostPath, candidate));
    root = addModule(process, candidate, hostPath, std::nullopt);
    // Breadth first: modules are appended while the list is walked.
    for (size_t i = root; i < process.modules.size(); ++i)
      mapDependencies(i);
    for (size_t i = firstNew; i < process.modules.size(); ++i)
      checkVersions(i);
    if (!process.trustsSymbols)
      checkSymbols();
  }

  void startPython() {
    for (llvm::StringRef name : {"libpthread.so.0", "libdl.so.2", "libm.so.6", "libc.so.6"})
      for (const std::string& path : system.find(name)) {
        Candidate candidate = open(process, Format::Elf, path);
        if (candidate.outcome != Candidate::Outcome::Good)
          continue;
        if (!process.findFile(*candidate.library))
          addModule(process, candidate, path, std::nullopt);
        break;
      }
    for (size_t i = 0; i < process.modules.size(); ++i)
      mapDependencies(i);
    process.globalCount = process.modules.size();
  }

private:
  void mapDependencies(size_t module) {
    for (size_t i = 0; i < process.modules[module].dependencies().size(); ++i) {
      if (process.modules[module].isDropped(i))
        continue;
      std::string name = process.modules[module].dependencies()[i].name;
      Search search(process, module, name);
      std::optional<size_t> found = find(search, module, name);
      int provider = found ? static_cast<int>(*found) : conclude(search, module, name);
      process.modules.edit(module).providers[i] = provider;
      result.bindings.push_back(std::move(search.binding));
    }
  }

  /// The result of a search that found nothing.
  int conclude(Search& search, size_t module, llvm::StringRef name) {
    BaseLibrary base = baseLibrary(name);
    if (base.isBase && !system.hasLibc()) {
      search.binding.state = State::Assumed;
      search.binding.how = {FoundBy::Kind::PlatformRule, "a base library of every glibc system"};
      return kElsewhere;
    }
    if (search.hasUnknownPlaces && search.unreadable.empty()) {
      search.binding.state = State::Unknown;
      return kElsewhere;
    }
    search.binding.state = State::Missing;
    result.problems.push_back(problemOf(process, module, search));
    return kAbsent;
  }

  std::optional<size_t> found(Search& search, size_t module, FoundBy how) {
    search.found(process.modules[module], std::move(how));
    return module;
  }

  std::optional<size_t> find(Search& search, size_t requester, llvm::StringRef name) {
    if (std::optional<size_t> loaded = findLoaded(name))
      return found(search, *loaded, {FoundBy::Kind::AlreadyLoaded});
    if (name.contains('/')) {
      Place place = system.placeOf(name, originOf(requester));
      search.hasUnknownPlaces |= place.isUnknown;
      std::optional<std::string> path =
          place.folder ? process.disk().find(*place.folder, place.rest) : std::nullopt;
      return path ? take(search, requester, name, *path, {FoundBy::Kind::OwnPath})
                  : (search.tried(name.str(), "not found"), std::nullopt);
    }
    const Module& asking = process.modules[requester];
    std::optional<size_t> module;
    if (asking.searchPathKind() != SearchPathKind::Runpath) {
      for (std::optional<size_t> holder = requester; holder && isSearching(search, module);
           holder = process.modules[*holder].loader)
        module = searchPaths(search, requester, name, *holder, SearchPathKind::Rpath);
      if (process.hasExecutable && isSearching(search, module))
        module = searchPaths(search, requester, name, 0, SearchPathKind::Rpath);
    }
    if (isSearching(search, module))
      module = searchEnvironment(search, requester, name);
    if (isSearching(search, module))
      module = searchPaths(search, requester, name, requester, SearchPathKind::Runpath);
    if (isSearching(search, module))
      module = searchSystem(search, requester, name);
    return module;
  }

  /// A file that is not a library ends the search; one for another machine does not.
  static bool isSearching(const Search& search, const std::optional<size_t>& found) {
    return !found && search.unreadable.empty();
  }

  std::optional<size_t> findLoaded(llvm::StringRef name) const {
    for (size_t i = 0; i < process.modules.size(); ++i) {
      const Module& module = process.modules[i];
      if (module.isNamed(name) || llvm::is_contained(module.aliases, name))
        return i;
    }
    return std::nullopt;
  }

  /// $ORIGIN: the directory of the path that it was opened by, without resolving links.
  llvm::StringRef originOf(size_t module) const {
    return llvm::sys::path::parent_path(process.modules[module].path);
  }

  std::optional<size_t> searchPaths(Search& search, size_t requester, llvm::StringRef name,
                                    size_t holder, SearchPathKind kind) {
    const Module& module = process.modules[holder];
    if (module.searchPathKind() != kind)
      return std::nullopt;
    std::optional<size_t> result;
    for (size_t i = 0; i < module.searchPaths().size() && isSearching(search, result); ++i) {
      // By index: adding a module invalidates references.
      std::string entry = process.modules[holder].searchPaths()[i];
      result = searchPlace(
          search, requester, name, system.placeOf(entry, originOf(holder)),
          {kind == SearchPathKind::Rpath ? FoundBy::Kind::Rpath : FoundBy::Kind::Runpath, entry,
           llvm::sys::path::filename(process.modules[holder].path).str()});
      if (result)
        break;
    }
    return result;
  }

  std::optional<size_t> searchEnvironment(Search& search, size_t requester, llvm::StringRef name) {
    llvm::SmallVector<llvm::StringRef> entries;
    std::string value = process.variable("LD_LIBRARY_PATH").str();
    llvm::SplitString(value, entries, ":;");
    std::optional<size_t> module;
    for (llvm::StringRef entry : entries)
      if (isSearching(search, module))
        module = searchPlace(search, requester, name, system.placeOf(entry, {}),
                             {FoundBy::Kind::Variable, entry.str(), "LD_LIBRARY_PATH"});
    return module;
  }

  std::optional<size_t> searchSystem(Search& search, size_t requester, llvm::StringRef name) {
    if (!process.disk().knowsAbsolutePaths()) {
      search.hasUnknownPlaces = true;
      search.tried("the system directories", "not on this machine");
      return std::nullopt;
    }
    std::vector<std::string> cached = system.findInCache(name);
    if (cached.empty())
      search.tried("ld.so.cache", "not found");
    std::optional<size_t> module;
    for (const std::string& path : cached)
      if (isSearching(search, module) && process.disk().isFile(path))
        module = take(search, requester, name, path, {FoundBy::Kind::Cache});
    for (const Place& place : system.defaultPlaces())
      if (isSearching(search, module))
        module = searchPlace(search, requester, name, place,
                             {FoundBy::Kind::DefaultDirectory, place.text});
    return module;
  }

  std::optional<size_t> searchPlace(Search& search, size_t requester, llvm::StringRef name,
                                    const Place& place, const FoundBy& how) {
    if (!place.folder) {
      search.hasUnknownPlaces |= place.isUnknown;
      search.tried(place.text + "/" + name.str(),
                   place.isUnknown ? "not on this machine" : "not found");
      return std::nullopt;
    }
    for (const std::string& subfolder : system.subfoldersOf(place)) {
      std::optional<std::string> path =
          process.disk().find(*place.folder, place.rest + "/" + subfolder + "/" + name.str());
      if (path)
        if (std::optional<size_t> module = take(search, requester, name, *path, how))
          return module;
      if (!path && subfolder.empty())
        search.tried(describe(place, name), "not found");
    }
    return std::nullopt;
  }

  std::string describe(const Place& place, llvm::StringRef name) const {
    llvm::SmallString<256> path(*place.folder);
    path += place.rest;
    llvm::sys::path::append(path, name);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return process.disk().targetPath(path);
  }

  std::optional<size_t> take(Search& search, size_t requester, llvm::StringRef name,
                             const std::string& path, const FoundBy& how) {
    Candidate candidate = open(process, Format::Elf, path);
    if (std::optional<size_t> same = process.findFile(*candidate.library)) {
      process.modules.edit(*same).aliases.push_back(name.str());
      return found(search, *same, {FoundBy::Kind::AlreadyLoaded, process.disk().targetPath(path)});
    }
    if (candidate.outcome != Candidate::Outcome::Good) {
      search.tried(process.disk().targetPath(path), candidate);
      return std::nullopt;
    }
    size_t module = addModule(process, candidate, path, requester);
    process.modules.edit(module).aliases.push_back(name.str());
    return found(search, module, how);
  }

  void checkVersions(size_t importer) {
    const SymbolTable* table = process.modules[importer].symbols();
    if (!table)
      return;
    std::map<size_t, std::vector<std::string>> missing;
    for (const NeededVersion& version : table->neededVersions()) {
      std::optional<size_t> provider = providerOf(importer, version);
      const SymbolTable* offers = provider ? process.modules[*provider].symbols() : nullptr;
      if (offers && !version.isOptional && !offers->accepts(version.name))
        missing[*provider].push_back(version.name.str());
    }
    for (auto& [provider, versions] : missing) {
      LoadProblem problem;
      problem.code = LoadProblem::Code::MissingVersion;
      problem.library = process.modules[importer].path;
      problem.provider = process.modules[provider].path;
      problem.dependency = process.modules[provider].slice->identity.value_or(std::string());
      problem.message = describeRequester(process, importer) + " needs version " +
                        llvm::join(versions, ", ") + " of " +
                        process.disk().targetPath(problem.provider) + ", which is older";
      problem.symbols = std::move(versions);
      result.problems.push_back(std::move(problem));
    }
  }

  std::optional<size_t> providerOf(size_t importer, const NeededVersion& version) const {
    if (!version.dependency)
      return findLoaded(version.library);
    int provider = process.modules[importer].providers[*version.dependency];
    return provider >= 0 ? std::optional<size_t>(provider) : std::nullopt;
  }

  /// A module that symbols are looked up in.
  struct Visible {
    int module;
    const SymbolTable* table;
  };

  /// Where symbols are looked up: the executable and its dependencies, then the library that is
  /// being loaded and its dependencies. Libraries from other loads are not visible.
  std::vector<size_t> scope() const {
    std::vector<size_t> order;
    for (size_t i = 0; i < process.globalCount; ++i)
      order.push_back(i);
    std::vector<bool> isSeen(process.modules.size());
    size_t next = order.size();
    order.push_back(root);
    isSeen[root] = true;
    for (; next < order.size(); ++next)
      for (int provider : process.modules[order[next]].providers)
        if (provider >= 0 && !isSeen[provider]) {
          isSeen[provider] = true;
          order.push_back(provider);
        }
    return order;
  }

  void checkSymbols() {
    std::vector<Visible> visible;
    llvm::DenseSet<const void*> tables;
    NeededSymbol ofPython;
    ofPython.name = "Py_IsInitialized"; // every one has it
    for (size_t module : scope()) {
      lookBehind(module);
      if (const SymbolTable* table = process.modules[module].symbols()) {
        visible.push_back({static_cast<int>(module), table});
        tables.insert(table);
        knowsInterpreter |= module < process.globalCount &&
                            table->find(ofPython).kind != SymbolLookup::Kind::Absent;
      }
    }
    for (size_t importer = firstNew; importer < process.modules.size(); ++importer) {
      const Module& module = process.modules[importer];
      Library::SymbolQuery query;
      for (int provider : module.providers)
        query.providers.push_back(providerKey(process, provider));
      for (size_t i = 0; i < module.providers.size(); ++i)
        query.providers.push_back(module.isDropped(i) ? &kElsewhere : nullptr);
      query.providers.push_back(knowsInterpreter ? &kElsewhere : nullptr);
      const std::vector<const void*> providers = query.providers;
      if (module.library->isKnownToBind(providers, tables))
        continue;
      // Other conditions of the lookup, encoded as pointers that are null or not.
      for (bool flag : {isScopeOpen, assumesStandardLibrary, takesUnversionedFromBase(importer)})
        query.providers.push_back(flag ? &kElsewhere : nullptr);
      for (const auto& [index, table] : visible)
        query.providers.push_back(table);
      const MissingByDependency& missing = module.library->missing(
          std::move(query), [&] { return findMissingSymbols(importer, visible, providers); });
      for (const auto& [dependency, symbols] : missing) {
        int provider = dependency < 0 ? kAbsent : module.providers[dependency];
        result.problems.push_back(missingSymbols(
            process, importer,
            provider < 0 ? "" : process.modules[provider].slice->identity.value_or(""),
            provider < 0 ? "" : process.modules[provider].path, symbols));
      }
    }
  }

  /// The modules that a library's symbols were found in.
  struct Binders {
    llvm::DenseSet<const void*> tables;
    bool areAll = true; ///< false: some symbol is taken for granted
    size_t last = 0;    ///< most symbols are where the one before was
    bool add(const SymbolTable* table) {
      tables.insert(table);
      return true;
    }
  };

  MissingByDependency findMissingSymbols(size_t importer, llvm::ArrayRef<Visible> visible,
                                         const std::vector<const void*>& providers) const {
    MissingByDependency missing;
    Binders binders;
    const Module& module = process.modules[importer];
    for (const NeededSymbol& symbol : module.library->needed(module.slice->arch))
      if (!isBound(importer, symbol, visible, binders) && module.symbols()->isReferenced(symbol))
        missing[symbol.dependency ? static_cast<int>(*symbol.dependency) : -1].push_back(
            symbol.text());
    if (missing.empty() && binders.areAll)
      module.library->keepBinders(providers, {binders.tables.begin(), binders.tables.end()});
    return missing;
  }

  /// What a module's dependencies could add to the scope if they are missing or not on this
  /// machine.
  void lookBehind(size_t index) {
    const Module& module = process.modules[index];
    for (size_t i = 0; i < module.providers.size(); ++i) {
      if (module.providers[i] >= 0 || module.isDropped(i))
        continue;
      const std::string& name = module.dependencies()[i].name;
      if (module.providers[i] == kAbsent || !baseLibrary(name).isBase)
        isScopeOpen |= !requiresVersionsOf(module, name);
      else
        assumesStandardLibrary |= name == "libstdc++.so.6";
    }
  }

  /// Symbols of a library whose versions contain its own name, such as FFmpeg's and CUDA's, are
  /// always referenced with a version. Other libraries, such as libz, have versions for only some
  /// symbols.
  static bool requiresVersionsOf(const Module& module, llvm::StringRef name) {
    const SymbolTable* table = module.symbols();
    llvm::StringRef stem = name.take_until([](char c) { return c == '.' || c == '-'; });
    return table && llvm::any_of(table->neededVersions(), [&](const NeededVersion& version) {
             return version.library == name && version.name.starts_with_insensitive(stem);
           });
  }

  /// Linkers take symbols from direct dependencies only.
  bool takesUnversionedFromBase(size_t importer) const {
    const Module& module = process.modules[importer];
    for (size_t i = 0; i < module.providers.size(); ++i)
      if (module.providers[i] == kElsewhere && !module.isDropped(i) &&
          !baseLibrary(module.dependencies()[i].name).hasVersions)
        return true;
    return false;
  }

  bool isBound(size_t importer, const NeededSymbol& symbol, llvm::ArrayRef<Visible> visible,
               Binders& binders) const {
    // Provided by the interpreter, either the program or a libpython, if neither can be read.
    if (!knowsInterpreter && (symbol.name.starts_with("Py") || symbol.name.starts_with("_Py")))
      return true;
    int bound =
        symbol.dependency ? process.modules[importer].providers[*symbol.dependency] : kAbsent;
    if (const SymbolTable* table = bound < 0 ? nullptr : process.modules[bound].symbols()) {
      const SymbolLookup lookup = table->find(symbol);
      if (lookup.hasNoVersions)
        return isBoundInOrder(symbol, visible, bound, binders);
      if (lookup.kind != SymbolLookup::Kind::Absent)
        return binders.add(table);
    }
    for (size_t i = 0; i < visible.size(); ++i) {
      const size_t index = (binders.last + i) % visible.size();
      if (visible[index].table->find(symbol).kind == SymbolLookup::Kind::Absent)
        continue;
      binders.last = index;
      return binders.add(visible[index].table);
    }
    if (symbol.isOptional)
      return true;
    binders.areAll = false;
    // Libraries that are missing or not on this machine are assumed to have the symbols.
    if (symbol.dependency)
      return bound < 0 && !process.modules[importer].isDropped(*symbol.dependency);
    return isScopeOpen || (assumesStandardLibrary && isStandard(symbol.name)) ||
           (!system.hasLibc() && isInEveryPython(symbol.name)) ||
           takesUnversionedFromBase(importer);
  }

  /// ld.so aborts if the library that should have the version has no versions at all, even if the
  /// symbol is weak, unless another library that has it comes first.
  static bool isBoundInOrder(const NeededSymbol& symbol, llvm::ArrayRef<Visible> visible, int bound,
                             Binders& binders) {
    binders.areAll = false;
    for (const auto& [module, table] : visible) {
      SymbolLookup lookup = table->find(symbol);
      if (lookup.kind != SymbolLookup::Kind::Absent)
        return !(lookup.hasNoVersions && module == bound);
    }
    return true;
  }

  Process& process;
  const LdSoSystem& system;
  LoadResult& result;
  size_t firstNew;
  size_t root = 0;
  bool knowsInterpreter = false;       ///< its symbols can be looked up
  bool isScopeOpen = false;            ///< a library that is not available could have any symbol
  bool assumesStandardLibrary = false; ///< libstdc++
};

} // namespace

void startPythonByLdSo(Process& process) {
  LoadResult ignored; // Python runs, so any problem found here is a limit of the simulation
  LdSo(process, ignored).startPython();
}

LoadResult loadByLdSo(Process& process, const std::string& hostPath) {
  LoadResult result;
  LdSo(process, result).run(hostPath);
  return result;
}

} // namespace tcfix::resolve
