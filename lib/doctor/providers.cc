// Whom a symbol was wanted from. ELF does not say it of a symbol without a version. But linkers
// take symbols from direct dependencies only, and the one that lost it still has its siblings:
// those in the same class or namespace, or, in C, with the same beginning of the name.
#include "doctor/rules.h"

#include "resolve/library_file.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

namespace tcfix::doctor {

using resolve::Binding;
using resolve::LoadProblem;

namespace {

/// What a symbol lies below, outermost first, as parts of its own text: "3c10" and
/// "3c1013MessageLogger" of a function of c10::MessageLogger, "torch_" of torch_from_blob.
std::vector<llvm::StringRef> scopesOf(llvm::StringRef symbol) {
  std::vector<llvm::StringRef> scopes;
  if (!symbol.consume_front("_Z")) {
    for (size_t end = symbol.find('_', 1); end != llvm::StringRef::npos;
         end = symbol.find('_', end + 1))
      scopes.push_back(symbol.take_front(end + 1));
    return scopes;
  }
  // Tables and type information are their class's; qualifiers are no part of a name.
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

bool isWithoutProvider(const LoadProblem& problem) {
  return problem.code == LoadProblem::Code::MissingSymbols && problem.provider.empty();
}

void forEachResult(std::vector<GroupReport>& groups,
                   llvm::function_ref<void(resolve::LoadResult&)> visit) {
  for (GroupReport& group : groups)
    for (LibraryReport& library : group.libraries)
      visit(library.loads);
}

std::vector<std::string> directProviders(const resolve::LoadResult& result,
                                         const std::string& library) {
  std::vector<std::string> providers;
  for (const Binding& binding : result.bindings)
    if (binding.library == library && binding.state == Binding::State::Found)
      providers.push_back(binding.provider);
  return providers;
}

/// By provider, those of the wanted scopes that something of its own lies in.
class Siblings {
public:
  explicit Siblings(const io::TargetDisk& disk) : disk(disk) {}

  void want(llvm::StringRef symbol) {
    for (llvm::StringRef scope : scopesOf(symbol))
      wanted.insert(scope);
  }

  /// The one that has something deepest in what the symbol lies in; empty if none has.
  std::string providerOf(llvm::StringRef symbol, llvm::ArrayRef<std::string> providers) {
    std::string best;
    size_t depth = 0;
    for (const std::string& provider : providers)
      for (llvm::StringRef scope : scopesOf(symbol))
        if (scope.size() > depth && sharedBy(provider).contains(scope)) {
          best = provider;
          depth = scope.size();
        }
    return best;
  }

private:
  const llvm::StringSet<>& sharedBy(const std::string& provider) {
    auto [entry, isNew] = shared.try_emplace(provider);
    if (!isNew)
      return entry->second;
    llvm::Expected<io::InputFile> file = disk.open(provider);
    formats::InspectOptions options;
    options.withSymbols = true;
    options.isThorough = false;
    llvm::Expected<Image> image =
        file ? formats::inspect(file->bytes(), options) : llvm::Expected<Image>(file.takeError());
    if (!image) {
      llvm::consumeError(image.takeError()); // it loads; only this hint is lost
      return entry->second;
    }
    for (const std::string& symbol : image->slices.front().exports)
      for (llvm::StringRef scope : scopesOf(symbol))
        if (wanted.contains(scope))
          entry->second.insert(scope);
    return entry->second;
  }

  const io::TargetDisk& disk;
  llvm::StringSet<> wanted;
  llvm::StringMap<llvm::StringSet<>> shared;
};

} // namespace

void nameProviders(std::vector<GroupReport>& groups, const io::TargetDisk& disk) {
  Siblings siblings(disk);
  forEachResult(groups, [&](resolve::LoadResult& result) {
    for (const LoadProblem& problem : result.problems)
      if (isWithoutProvider(problem))
        for (const std::string& symbol : problem.symbols)
          siblings.want(symbol);
  });
  forEachResult(groups, [&](resolve::LoadResult& result) {
    std::vector<LoadProblem> problems;
    for (LoadProblem& problem : result.problems) {
      if (!isWithoutProvider(problem)) {
        problems.push_back(std::move(problem));
        continue;
      }
      const std::vector<std::string> providers = directProviders(result, problem.library);
      std::map<std::string, std::vector<std::string>> byProvider;
      for (const std::string& symbol : problem.symbols)
        byProvider[siblings.providerOf(symbol, providers)].push_back(symbol);
      for (auto& [provider, symbols] : byProvider) {
        LoadProblem part = problem;
        part.provider = provider;
        part.symbols = std::move(symbols);
        part.message = describeMissing(part);
        problems.push_back(std::move(part));
      }
    }
    result.problems = std::move(problems);
  });
}

} // namespace tcfix::doctor
