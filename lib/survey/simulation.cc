#include "survey/simulation.h"

#include "base/parallel.h"
#include "env/package_code.h"
#include "image/names.h"
#include "resolve/verdict.h"

namespace tcfix::survey {

using resolve::Binding;
using resolve::LoadResult;
using resolve::Session;
using resolve::Verdict;

namespace {

/// The maximum length of a chain of siblings that need each other.
constexpr int kDeepestSibling = 4;

resolve::ProcessOptions withVariables(resolve::ProcessOptions process,
                                      const std::map<std::string, std::string>& variables) {
  process.environment = variables;
  return process;
}

Session started(Session session) {
  session.start();
  return session;
}

// `import torch` loads all of these. If one fails, the process goes on without it.
Session withTorch(const PackageFacts& facts, const Session& bare, bool isTrusted) {
  Session session = bare.clone();
  session.trustSymbols(isTrusted);
  if (facts.torch && facts.isAfterTorch)
    for (const std::string& path : facts.torchLibraries())
      session.load(path);
  session.trustSymbols(false);
  return session;
}

} // namespace

Simulation::Simulation(const PackageFacts& facts, resolve::LibraryStore& store,
                       const std::map<std::string, std::string>& variables,
                       std::optional<resolve::ExplainOptions> explaining, bool trustsTorch)
    : store(store), explaining(std::move(explaining)),
      bare(started(Session(store, withVariables(facts.process, variables)))),
      preloaded(withTorch(facts, bare, trustsTorch)), siblings(facts.siblings), facts(facts),
      imports(facts.sites, facts.platform, store.disk()) {
  if (facts.package.recipe.loadsSiblingsFirst)
    for (const LibraryFacts& library : facts.libraries)
      if (library.identity)
        siblings.try_emplace(*library.identity, library.path);
}

/// Whether a load that was simulated by itself can end in another way after other loads.
bool Simulation::mayDependOnOrder(const LoadResult& result, const std::string& path) const {
  if (result.verdict == Verdict::Unknown)
    return llvm::any_of(result.bindings, [&](const Binding& binding) {
      return binding.state == Binding::State::Unknown && siblings.count(binding.dependency);
    });
  // Nothing helps a file that the loader rejects.
  return result.verdict == Verdict::Fails && result.problems.front().provider != path;
}

// True if the recipe or the package's code shows it. Assuming it would make a library that lost its
// search path seem to load.
bool Simulation::loadsSiblings() const {
  if (facts.package.recipe.isJudgedByModules)
    std::call_once(isCodeRead, [&] {
      codeLoads = env::loadsLibrariesItself(facts.package, facts.platform, store.disk());
    });
  return codeLoads;
}

// If a library fails without a sibling, load the sibling and try again. If the sibling fails, its
// problems are the cause.
LoadResult Simulation::loadAfterSiblings(Session& session, const std::string& path,
                                         SiblingFilter mayLoad, int depth) const {
  LoadResult result = loadOne(session, path);
  bool hasLoaded = false;
  Verdict ofSiblings = Verdict::Loads;
  for (const Binding& binding : result.bindings) {
    if (binding.state != Binding::State::Missing && binding.state != Binding::State::Unknown)
      continue;
    auto sibling = siblings.find(binding.dependency);
    if (sibling == siblings.end() || sibling->second == path || depth == kDeepestSibling ||
        !mayLoad(baseName(sibling->second)))
      continue;
    LoadResult first = loadAfterSiblings(session, sibling->second, mayLoad, depth + 1);
    if (first.verdict == Verdict::Fails) {
      result.verdict = Verdict::Fails;
      result.problems = std::move(first.problems);
      return result;
    }
    ofSiblings = both(ofSiblings, first.verdict);
    hasLoaded = true;
  }
  if (hasLoaded) {
    result = loadOne(session, path);
    result.verdict = both(result.verdict, ofSiblings);
  }
  return result;
}

// A module that fails by itself may load in a real import, which has executed other code of the
// package before: a library that another module has loaded is used again by its name, wherever it
// is.
LoadResult Simulation::loadAsPackage(Session& session, const LibraryFacts& library) const {
  const auto ofPackage = [this](llvm::StringRef) { return loadsSiblings(); };
  // Reading the sources takes longer than everything else, so it must matter.
  if (!library.isModule || !library.isNeeded || facts.package.recipe.preloadsNvidia)
    return loadAfterSiblings(session, library.path, ofPackage);
  LoadResult result = loadOne(session, library.path);
  if (!mayDependOnOrder(result, library.path))
    return result;
  const std::optional<env::ImportOrder> before = imports.before(library.path);
  if (!before)
    return loadAfterSiblings(session, library.path, ofPackage);
  for (const std::string& module : before->modules)
    session.load(module);
  return loadAfterSiblings(session, library.path, [&](llvm::StringRef sibling) {
    return env::mayLoad(before->loadingCode, sibling);
  });
}

GroupLoads Simulation::load(const Group& group, const Overrides& overrides, Regime regime) const {
  Session session = (regime == Regime::Bare ? bare : preloaded).clone();
  for (const auto& [path, override] : overrides)
    session.overrideLibrary(path, override);
  GroupLoads loads;
  loads.verdict = Verdict::Loads;
  for (const LibraryFacts* library : group.libraries) {
    loads.results.push_back(regime == Regime::Bare ? loadOne(session, library->path)
                                                   : loadAsPackage(session, *library));
    loads.verdict = both(loads.verdict, loads.results.back().verdict);
  }
  return loads;
}

PackageLoads Simulation::loadAll(llvm::ArrayRef<Group> groups, bool withBare) const {
  PackageLoads loads;
  loads.preloaded.resize(groups.size());
  loads.bare.resize(withBare ? groups.size() : 0);
  parallelFor(groups.size(), hardwareThreads(), [&](size_t i) {
    loads.preloaded[i] = load(groups[i], {}, Regime::Preloaded);
    if (withBare)
      loads.bare[i] = load(groups[i], {}, Regime::Bare);
  });
  return loads;
}

std::vector<Binding> Simulation::directBindings(const LibraryFacts& library,
                                                const resolve::LibraryOverride& override) const {
  Session session = bare.clone();
  session.overrideLibrary(library.path, override);
  session.stayShallow();
  std::vector<Binding> direct;
  for (Binding& binding : session.load(library.path).bindings)
    if (binding.library == library.path)
      direct.push_back(std::move(binding));
  return direct;
}

Overrides originalsOf(const Group& group) {
  Overrides overrides;
  for (const LibraryFacts* library : group.libraries)
    overrides[library->path] = library->original;
  return overrides;
}

} // namespace tcfix::survey
