#include "resolve/explain.h"

#include "image/names.h"
#include "resolve/process.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::resolve {

namespace {

std::vector<std::string> directProviders(const LoadResult& result, const std::string& library) {
  std::vector<std::string> providers;
  for (const Binding& binding : result.bindings)
    if (binding.library == library && binding.state == Binding::State::Found)
      providers.push_back(binding.provider);
  return providers;
}

/// In ELF, a symbol without a version is not bound to a library. But linkers take symbols from
/// direct dependencies only, and the library that no longer has the symbol usually still has others
/// from the same class or namespace or, in C, with the same prefix.
std::vector<LoadProblem> splitByProvider(const LoadProblem& problem, const LoadResult& result,
                                         LibraryStore& store) {
  llvm::StringSet<> wanted;
  for (llvm::StringRef symbol : problem.symbols)
    for (llvm::StringRef scope : scopesOf(symbol))
      wanted.insert(scope);
  std::vector<std::pair<std::string, llvm::StringSet<>>> shared;
  for (const std::string& provider : directProviders(result, problem.library))
    shared.emplace_back(provider, store.open(provider).exportedScopes(wanted));

  std::map<std::string, std::vector<std::string>> byProvider; // empty key: no similar symbol found
  for (const std::string& symbol : problem.symbols) {
    std::string best;
    size_t depth = 0;
    for (const auto& [provider, scopes] : shared)
      for (llvm::StringRef scope : scopesOf(symbol))
        if (scope.size() > depth && scopes.contains(scope)) {
          best = provider;
          depth = scope.size();
        }
    byProvider[best].push_back(symbol);
  }
  std::vector<LoadProblem> parts;
  for (auto& [provider, symbols] : byProvider) {
    LoadProblem& part = parts.emplace_back(problem);
    part.provider = provider;
    part.symbols = std::move(symbols);
    part.message = describeMissing(part);
  }
  return parts;
}

std::optional<LoadProblem> findOwnedSymbols(const LoadResult& result, const std::string& library,
                                            const std::string& arch, LibraryStore& store,
                                            const ExplainOptions& options) {
  const Library& file = store.open(library);
  bool isKnown = llvm::any_of(result.problems, [&](const LoadProblem& problem) {
    return problem.code == LoadProblem::Code::MissingSymbols && problem.library == library;
  });
  if (isKnown || !options.isOwned || file.image.format != Format::Elf)
    return std::nullopt;
  LoadProblem problem;
  problem.code = LoadProblem::Code::MissingSymbols;
  problem.library = library;
  problem.provider = options.mainOwner;
  for (const NeededSymbol& symbol : file.needed(arch))
    if (!symbol.isOptional && options.isOwned(symbol.text()) &&
        !isOffered(symbol, options.owners, arch, store))
      problem.symbols.push_back(symbol.text());
  if (problem.symbols.empty())
    return std::nullopt;
  problem.message = describeMissing(problem);
  return problem;
}

} // namespace

std::vector<llvm::StringRef> scopesOf(llvm::StringRef symbol) {
  std::vector<llvm::StringRef> scopes;
  if (!symbol.consume_front("_Z")) {
    for (size_t end = symbol.find('_', 1); end != llvm::StringRef::npos;
         end = symbol.find('_', end + 1))
      scopes.push_back(symbol.take_front(end + 1));
    return scopes;
  }
  // Vtables and type information belong to their class; qualifiers are not part of a name.
  for (llvm::StringRef special : {"TV", "TI", "TS", "TT"})
    if (symbol.consume_front(special))
      break;
  symbol.consume_front("N");
  symbol = symbol.drop_while([](char c) { return llvm::StringRef("rVKRO").contains(c); });
  llvm::StringRef rest = symbol;
  size_t length = 0;
  while (!rest.consumeInteger(10, length) && length <= rest.size()) {
    rest = rest.drop_front(length);
    scopes.push_back(symbol.drop_back(rest.size()));
  }
  return scopes;
}

bool isOffered(const NeededSymbol& symbol, llvm::ArrayRef<std::string> libraries,
               const std::string& arch, LibraryStore& store) {
  return llvm::any_of(libraries, [&](const std::string& library) {
    const SymbolTable* table = store.open(library).symbols(arch);
    return table && table->find(symbol).kind != SymbolLookup::Kind::Absent;
  });
}

bool isRefused(const Slice& slice) {
  return slice.signature && slice.signature->state != SignatureState::Valid &&
         llvm::StringRef(slice.arch).starts_with("arm64");
}

std::optional<LoadProblem> refusalOf(const std::string& library, llvm::StringRef arch,
                                     LibraryStore& store) {
  const Image* image = store.judgedImage(library);
  if (!image || image->format != Format::MachO)
    return std::nullopt;
  for (const Slice& slice : image->slices)
    if (slice.arch == arch && isRefused(slice)) {
      LoadProblem problem;
      problem.code = LoadProblem::Code::Refused;
      problem.library = problem.provider = library;
      problem.message = baseName(library).str() + (slice.signature->state == SignatureState::None
                                                       ? " is not signed"
                                                       : " has an invalid signature");
      return problem;
    }
  return std::nullopt;
}

void explain(LoadResult& result, const std::string& library, const std::string& arch,
             LibraryStore& store, const ExplainOptions& options) {
  std::vector<LoadProblem> problems;
  for (const LoadProblem& problem : result.problems)
    if (problem.code == LoadProblem::Code::MissingSymbols && problem.provider.empty())
      llvm::append_range(problems, splitByProvider(problem, result, store));
    else
      problems.push_back(problem);
  if (std::optional<LoadProblem> refusal = refusalOf(library, arch, store))
    problems.push_back(std::move(*refusal));
  if (std::optional<LoadProblem> more = findOwnedSymbols(result, library, arch, store, options))
    problems.push_back(std::move(*more));
  result.problems = std::move(problems);
  setVerdict(result);
}

} // namespace tcfix::resolve
