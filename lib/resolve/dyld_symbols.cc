// How macOS's dyld binds the symbols of libraries that were found. docs/loaders.md lists its rules.
#include "resolve/process.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace tcfix::resolve {

namespace {

class DyldSymbols {
public:
  DyldSymbols(const Process& process, LoadResult& result) : process(process), result(result) {}

  /// Every symbol is bound to one dependency, so the result is cached for each dependency: a
  /// different FFmpeg does not invalidate the result for torch.
  void check(size_t importer) {
    const Module& module = process.modules[importer];
    for (size_t i = 0; i < module.providers.size(); ++i) {
      int provider = module.providers[i];
      if (provider < 0)
        continue;
      Library::SymbolQuery query{i, {module.slice}};
      addProviders(provider, query.providers, 0);
      const MissingByDependency& missing = module.library->missing(
          std::move(query), [&] { return findMissingSymbols(importer, i); });
      for (const auto& [dependency, symbols] : missing)
        result.problems.push_back(missingSymbols(process, importer, module.dependencies()[i].name,
                                                 process.modules[provider].path, symbols));
    }
  }

private:
  /// A module that symbols are looked up in, and the modules that it re-exports.
  void addProviders(int provider, std::vector<const void*>& providers, unsigned hops) const {
    providers.push_back(providerKey(process, provider));
    if (provider < 0 || hops > kMostHops)
      return;
    const Module& module = process.modules[provider];
    for (size_t i = 0; i < module.providers.size(); ++i)
      if (module.dependencies()[i].kind == DependencyKind::Reexport)
        addProviders(module.providers[i], providers, hops + 1);
  }

  MissingByDependency findMissingSymbols(size_t importer, size_t dependency) const {
    MissingByDependency missing;
    const Module& module = process.modules[importer];
    // Not those of a flat lookup, which searches the whole process, here Python.
    auto isBefore = [&](bool isOptional) {
      return [=](const NeededSymbol& symbol) {
        return std::pair(symbol.dependency, symbol.isOptional) <
               std::pair(std::optional<uint32_t>(dependency), isOptional);
      };
    };
    const llvm::ArrayRef<NeededSymbol> all = module.library->needed(module.slice->arch);
    const auto first = llvm::partition_point(all, isBefore(false));
    const llvm::ArrayRef<NeededSymbol> wanted(first, llvm::partition_point(all, isBefore(true)));
    std::vector<size_t> searched;
    for (const NeededSymbol& symbol : missingFrom(module.providers[dependency], wanted, searched))
      missing[static_cast<int>(dependency)].push_back(symbol.text());
    return missing;
  }

  /// Those of the symbols that a module neither defines nor re-exports from one that does, in the
  /// same order.
  std::vector<NeededSymbol> missingFrom(size_t index, llvm::ArrayRef<NeededSymbol> wanted,
                                        std::vector<size_t>& searched) const {
    const Module& module = process.modules[index];
    const SymbolTable* table = module.symbols();
    if (!table)
      return {}; // unknown
    if (wanted.empty() || llvm::is_contained(searched, index))
      return wanted.vec();
    searched.push_back(index);
    std::vector<NeededSymbol> absent;
    std::set<llvm::StringRef> lost; // forwarded to nowhere
    auto note = [&](const NeededSymbol& symbol, const SymbolLookup& lookup) {
      if (lookup.kind == SymbolLookup::Kind::Absent)
        absent.push_back(symbol);
      if (lookup.kind == SymbolLookup::Kind::Forwarded && !isForwarded(module, lookup, 0))
        lost.insert(symbol.name);
    };
    module.library->findEach(module.slice->arch, wanted, note);
    for (size_t i = 0; i < module.providers.size() && !absent.empty(); ++i)
      if (module.dependencies()[i].kind == DependencyKind::Reexport) {
        int next = module.providers[i];
        if (next == kElsewhere)
          absent.clear();
        else if (next >= 0)
          absent = missingFrom(next, absent, searched);
      }
    for (const NeededSymbol& symbol : absent)
      lost.insert(symbol.name);
    std::vector<NeededSymbol> missing;
    if (!lost.empty())
      llvm::copy_if(wanted, std::back_inserter(missing),
                    [&](const NeededSymbol& symbol) { return lost.count(symbol.name); });
    return missing;
  }

  /// Whether what a module forwards is where it says.
  bool isForwarded(const Module& module, const SymbolLookup& lookup, unsigned hops) const {
    int next = module.providers[*lookup.dependency];
    return next < 0 ? next == kElsewhere : provides(next, lookup.symbol, hops + 1);
  }

  /// Whether a module defines the symbol or re-exports it from one that does.
  bool provides(size_t module, const NeededSymbol& wanted, unsigned hops) const {
    std::vector<size_t> searched;
    return provides(module, wanted, hops, searched);
  }

  bool provides(size_t index, const NeededSymbol& wanted, unsigned hops,
                std::vector<size_t>& searched) const {
    const Module& module = process.modules[index];
    const SymbolTable* table = module.symbols();
    if (!table)
      return true; // unknown
    if (hops > kMostHops || llvm::is_contained(searched, index))
      return false;
    searched.push_back(index);
    SymbolLookup lookup = table->find(wanted);
    if (lookup.kind == SymbolLookup::Kind::Defined)
      return true;
    if (lookup.kind == SymbolLookup::Kind::Forwarded)
      return isForwarded(module, lookup, hops);
    for (size_t i = 0; i < module.providers.size(); ++i)
      if (module.dependencies()[i].kind == DependencyKind::Reexport) {
        int next = module.providers[i];
        if (next == kElsewhere || (next >= 0 && provides(next, wanted, hops, searched)))
          return true;
      }
    return false;
  }

  // Limits cycles of re-exported symbols.
  static constexpr unsigned kMostHops = 64;

  const Process& process;
  LoadResult& result;
};

} // namespace

void bindByDyld(const Process& process, size_t firstNew, LoadResult& result) {
  DyldSymbols symbols(process, result);
  for (size_t i = firstNew; i < process.modules.size(); ++i)
    symbols.check(i);
}

} // namespace tcfix::resolve
