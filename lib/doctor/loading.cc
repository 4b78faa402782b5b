// Why libraries do not load, according to the simulated loader.
#include "base/demangle.h"
#include "doctor/rules.h"
#include "image/names.h"
#include "providers/elsewhere.h"
#include "providers/torch.h"
#include "recipe/torch_symbols.h"
#include "resolve/explain.h"

#include <set>

namespace tcfix::doctor {

using resolve::LoadProblem;
using Kind = Defect::Kind;

namespace {

bool isFromTorch(const ExaminedPackage& package, const LoadProblem& problem) {
  if (!package.facts.torch)
    return false;
  return problem.provider.empty()
             ? llvm::any_of(problem.symbols, recipe::isTorchSymbol)
             : llvm::StringRef(problem.provider).starts_with(package.facts.torch->libFolder);
}

// How a standard string is encoded in symbols, since GCC 5 and before. Everything after it may be
// numbered differently, so only functions that end with it have a certain counterpart.
constexpr llvm::StringLiteral kNewString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
constexpr llvm::StringLiteral kOldString = "Ss";

std::string twinOf(llvm::StringRef symbol) {
  if (symbol.consume_back(kNewString))
    return symbol.str() + kOldString.str();
  if (symbol.starts_with("_Z") && symbol.consume_back(kOldString))
    return symbol.str() + kNewString.str();
  return {};
}

// The same function with the other kind of std::string, which torch has.
std::optional<Defect> findStringAbi(const ExaminedPackage& package, const LoadProblem& problem) {
  Defect defect{Kind::Cxx11Abi, problem.library};
  defect.items = problem.symbols;
  for (const std::string& symbol : problem.symbols) {
    const std::string twin = twinOf(symbol);
    NeededSymbol wanted;
    wanted.name = twin;
    if (!twin.empty() && resolve::isOffered(wanted, package.facts.torchLibraries(),
                                            package.facts.process.arch, package.store))
      defect.alternatives.push_back(demangled(twin));
  }
  return defect.alternatives.empty() ? std::nullopt : std::optional(std::move(defect));
}

// Only the package's own libraries can get search paths.
bool isOwnLibrary(const ExaminedPackage& package, const std::string& path) {
  return llvm::any_of(package.facts.libraries,
                      [&](const survey::LibraryFacts& library) { return library.path == path; });
}

/// The defects that a problem shows; none if another rule reports it.
Defects defectsOf(const ExaminedPackage& package, const LoadProblem& problem) {
  Defect defect = defectOf(problem);
  switch (problem.code) {
  case LoadProblem::Code::MissingDependency:
    if (providers::parseFfmpegName(problem.dependency) ||                        // ffmpeg.cc
        (!package.facts.torch && providers::isTorchLibrary(problem.dependency))) // torch.cc
      return {};
    defect.isRepairable = package.wouldLoadAfter;
    if (defect.kind == Kind::MissingDependency && !package.wouldLoadAfter &&
        isOwnLibrary(package, problem.library)) {
      defect.isSearchable = true;
      for (const std::string& folder : providers::findElsewhere(
               baseName(problem.dependency), package.facts.process.arch, package.found))
        defect.alternatives.push_back(package.found.disk.targetPath(folder));
    }
    break;
  case LoadProblem::Code::MissingSymbols:
    if (isFromTorch(package, problem)) {
      defect.kind = Kind::MissingTorchSymbols;
      if (defect.provider.empty())
        defect.provider = package.facts.mainTorchLibrary();
      if (package.facts.platform == Platform::Linux)
        if (std::optional<Defect> other = findStringAbi(package, problem))
          return {std::move(defect), std::move(*other)};
    }
    break;
  case LoadProblem::Code::WrongArchitecture:
    if (problem.library == problem.provider) // python.cc
      return {};
    for (const GroupReport& group : package.groups)
      if (group.major != 0)
        defect.majors.push_back(group.major);
    break;
  case LoadProblem::Code::DuplicateEntry:
  case LoadProblem::Code::DuplicateDependency:
    defect.isRepairable = isOwnLibrary(package, problem.library);
    break;
  case LoadProblem::Code::Refused: // mac.cc
    return {};
  default:
    break;
  }
  return {std::move(defect)};
}

/// A part of the package that is loaded only on demand. It is reported if it lacks a library that
/// can be installed.
void findHeic(const ExaminedPackage& package, Defects& defects) {
  for (const GroupReport& group : package.onDemand) {
    const LoadProblem* cause = group.firstCause();
    if (!package.loads || !cause || cause->code != LoadProblem::Code::MissingDependency ||
        !baseName(cause->dependency).starts_with("libheif"))
      continue;
    Defect defect = defectOf(*cause);
    defect.kind = Kind::HeicUnavailable;
    defects.push_back(std::move(defect));
  }
}

} // namespace

void findLoadDefects(const ExaminedPackage& package, Defects& defects) {
  // A major that is not needed may lack dependencies. Symbols that torch lacks are reported for all
  // majors: they show that the versions are incompatible.
  std::set<std::pair<std::string, std::string>> reported;
  for (const GroupReport& group : package.groups) {
    bool isFirstOfGroup = true;
    for (const LibraryReport& library : group.libraries)
      for (const LoadProblem& problem : library.loads.problems) {
        bool isAbi = problem.code == LoadProblem::Code::MissingSymbols ||
                     problem.code == LoadProblem::Code::MissingVersion;
        bool isFirstCause = isFirstOfGroup && !package.loads;
        isFirstOfGroup = false;
        if ((!isAbi && !isFirstCause) ||
            !reported.insert({problem.library, problem.dependency + problem.provider}).second)
          continue;
        for (Defect& defect : defectsOf(package, problem)) {
          defect.isCause = !package.loads;
          defects.push_back(std::move(defect));
        }
      }
  }
  findHeic(package, defects);
}

} // namespace tcfix::doctor
