// Symbols and versions that the libraries which were found do not have: they were built against
// others than these.
#include "doctor/rules.h"

#include "image/names.h"
#include "resolve/library_file.h"

namespace tcfix::doctor {

using resolve::LoadProblem;

namespace {

bool isFromTorch(const Case& facts, const LoadProblem& problem) {
  if (!facts.facts.torch)
    return false;
  return problem.provider.empty()
             ? llvm::any_of(problem.symbols, isTorchSymbol)
             : llvm::StringRef(problem.provider).starts_with(facts.facts.torch->libFolder);
}

// How a standard string is written in symbols, since GCC 5 and before. Everything behind it may be
// numbered otherwise, so that only functions that end with it have a twin that is surely theirs.
constexpr llvm::StringLiteral kNewString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
constexpr llvm::StringLiteral kOldString = "Ss";

std::string twinOf(llvm::StringRef symbol) {
  if (symbol.consume_back(kNewString))
    return symbol.str() + kOldString.str();
  if (symbol.starts_with("_Z") && symbol.consume_back(kOldString))
    return symbol.str() + kNewString.str();
  return {};
}

bool isOfferedByTorch(const survey::PackageFacts& facts, resolve::LibraryStore& store,
                      const NeededSymbol& symbol) {
  return llvm::any_of(facts.torchNames, [&](const std::string& file) {
    const SymbolTable* table =
        store.open(facts.torch->libFolder + "/" + file).symbols(facts.process.arch);
    return table && table->find(symbol).kind != SymbolOffer::Kind::Absent;
  });
}

// The same function with the other kind of std::string, which torch has.
void addStringAbi(const Case& facts, const LoadProblem& problem, Findings& findings) {
  std::vector<std::string> twins;
  for (const std::string& symbol : problem.symbols) {
    const std::string twin = twinOf(symbol);
    NeededSymbol wanted;
    wanted.name = twin;
    if (!twin.empty() && isOfferedByTorch(facts.facts, facts.store, wanted))
      twins.push_back(demangled(twin));
  }
  if (twins.empty())
    return;
  findings.push_back({"cxx11-abi",
                      Severity::Error,
                      "torch " + facts.facts.torch->version + " and " +
                          baseName(problem.library).str() +
                          " were built with different kinds of std::string "
                          "(_GLIBCXX_USE_CXX11_ABI)",
                      problem.library,
                      {{"symbols", problem.symbols}, {"instead", twins}},
                      "pip install --upgrade torch " + facts.facts.package.name});
}

// Where ELF leaves it open: the library that has most of torch.
std::string mainLibraryOf(const survey::PackageFacts& facts) {
  for (const std::string& name : facts.torchNames)
    if (llvm::StringRef(name).contains("torch_cpu"))
      return facts.torch->libFolder + "/" + name;
  return {};
}

// One of several, for people: the first that is short enough to be read.
std::string exampleOf(const LoadProblem& problem) {
  constexpr size_t kReadable = 60;
  for (const std::string& symbol : problem.symbols)
    if (std::string name = demangled(symbol); name.size() <= kReadable)
      return (problem.symbols.size() == 1 ? "; it is " : "; one of them is ") + name;
  return {};
}

} // namespace

// ELF does not say whom a symbol is wanted from.
bool isTorchSymbol(llvm::StringRef symbol) {
  const std::string name = demangled(symbol);
  return llvm::any_of(
      std::initializer_list<llvm::StringRef>{
          "c10::", "at::", "torch::", "caffe2::", "torch_", "aoti_torch_",
          "typeinfo for c10::", "typeinfo for torch::", "vtable for c10::", "vtable for torch::"},
      [&](llvm::StringRef prefix) { return llvm::StringRef(name).starts_with(prefix); });
}

std::optional<LoadProblem> compareWithTorch(const survey::PackageFacts& facts,
                                            resolve::LibraryStore& store,
                                            const std::string& library) {
  if (facts.platform != Platform::Linux || !facts.torch)
    return std::nullopt;
  const SymbolTable* table = store.open(library).symbols(facts.process.arch);
  llvm::Expected<std::vector<NeededSymbol>> needed =
      table ? table->needed() : std::vector<NeededSymbol>();
  if (!needed) {
    llvm::consumeError(needed.takeError());
    return std::nullopt;
  }
  LoadProblem problem;
  problem.code = LoadProblem::Code::MissingSymbols;
  problem.library = library;
  problem.provider = mainLibraryOf(facts);
  for (const NeededSymbol& symbol : *needed)
    if (!symbol.isOptional && torchSpanOf(symbol.text()).since.isKnown() &&
        !isOfferedByTorch(facts, store, symbol))
      problem.symbols.push_back(symbol.text());
  if (problem.symbols.empty())
    return std::nullopt;
  problem.message = describeMissing(problem);
  return problem;
}

Finding missingSymbols(const Scene& scene, const LoadProblem& problem, bool isTorchs) {
  const TorchSpan span = isTorchs ? torchSpanOf(problem.symbols) : TorchSpan();
  const std::string known = describe(span);
  Finding finding;
  finding.code = "missing-symbols";
  finding.message = countMissing(problem) + (known.empty() ? "" : " (" + known + ")") +
                    (isTorchs ? ": it was built against another torch" : "") +
                    (isTorchs && !scene.torch.empty() ? " than " + scene.torch : "") +
                    exampleOf(problem);
  finding.path = problem.library;
  finding.evidence = {{"library", problem.provider}, {"symbols", problem.symbols}};
  std::vector<std::string> readable;
  for (const std::string& symbol : problem.symbols)
    readable.push_back(demangled(symbol));
  finding.evidence.push_back({"demangled", readable});
  if (span.since.isKnown())
    finding.evidence.push_back({"since", span.since.text()});
  if (span.until.isKnown())
    finding.evidence.push_back({"until", span.until.text()});
  finding.action = !isTorchs ? reinstallCommand(scene)
                   : scene.package == "torchcodec"
                       ? fittingTorchcodecCommand(scene.torch)
                       : "pip install --upgrade --force-reinstall " + scene.package;
  return finding;
}

void addMissingSymbols(const Case& facts, const LoadProblem& problem, Findings& findings) {
  const bool isTorchs = isFromTorch(facts, problem);
  LoadProblem complete = problem;
  if (problem.provider.empty() && isTorchs)
    complete.provider = mainLibraryOf(facts.facts);
  findings.push_back(missingSymbols(facts.scene(), complete, isTorchs));
  if (isTorchs && facts.facts.platform == Platform::Linux)
    addStringAbi(facts, problem, findings);
}

Finding missingVersion(const Scene& scene, const LoadProblem& problem) {
  bool isCxx = llvm::any_of(problem.symbols, [](llvm::StringRef version) {
    return version.starts_with("GLIBCXX") || version.starts_with("CXXABI");
  });
  bool isGlibc = llvm::any_of(
      problem.symbols, [](llvm::StringRef version) { return version.starts_with("GLIBC_"); });
  return {isCxx     ? "libstdcxx-too-old"
          : isGlibc ? "glibc-too-old"
                    : "library-too-old",
          Severity::Error,
          problem.message,
          problem.library,
          {{"library", problem.provider}, {"versions", problem.symbols}},
          isCxx     ? "conda install -c conda-forge \"libstdcxx-ng>=13\""
          : isGlibc ? std::string() // only another system has another one
                    : reinstallCommand(scene)};
}

} // namespace tcfix::doctor
