// How glibc's ld.so binds the symbols of libraries that were found, and checks their versions.
// docs/loaders.md lists its rules.
#include "resolve/ld_so_places.h"
#include "resolve/process.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::resolve {

namespace {

class LdSoSymbols {
public:
  /// `root` is the library that is being loaded; the modules after it are its new dependencies.
  LdSoSymbols(const Process& process, size_t root, LoadResult& result)
      : process(process), system(*process.ldSo), result(result), root(root) {}

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
    for (size_t importer = root; importer < process.modules.size(); ++importer) {
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

private:
  /// A module that symbols are looked up in.
  struct Visible {
    int module;
    const SymbolTable* table;
  };

  std::optional<size_t> providerOf(size_t importer, const NeededVersion& version) const {
    if (!version.dependency)
      return process.findNamed(version.library);
    int provider = process.modules[importer].providers[*version.dependency];
    return provider >= 0 ? std::optional<size_t>(provider) : std::nullopt;
  }

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

  const Process& process;
  const LdSoSystem& system;
  LoadResult& result;
  size_t root;
  bool knowsInterpreter = false;       ///< its symbols can be looked up
  bool isScopeOpen = false;            ///< a library that is not available could have any symbol
  bool assumesStandardLibrary = false; ///< libstdc++
};

} // namespace

void bindByLdSo(const Process& process, size_t root, LoadResult& result) {
  LdSoSymbols symbols(process, root, result);
  for (size_t i = root; i < process.modules.size(); ++i)
    symbols.checkVersions(i);
  if (!process.trustsSymbols)
    symbols.checkSymbols();
}

} // namespace tcfix::resolve
