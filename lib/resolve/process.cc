#include "resolve/process.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/Path.h>

namespace tcfix::resolve {

namespace {

llvm::StringRef canonicalArchitecture(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("arm64", "aarch64")
      .Case("amd64", "x86_64")
      .Default(name);
}

/// The slice that a process runs. x86_64h is for Haswell and later, which covers every Mac since
/// 2013.
const Slice* sliceFor(const Image& image, llvm::StringRef arch) {
  for (const Slice& slice : image.slices)
    if (image.format == Format::MachO && arch == "x86_64" && slice.arch == "x86_64h")
      return &slice;
  for (const Slice& slice : image.slices)
    if (isSameArchitecture(slice.arch, arch))
      return &slice;
  return nullptr;
}

} // namespace

llvm::ArrayRef<Dependency> Module::dependencies() const {
  return replaced ? replaced->dependencies : slice->dependencies;
}

llvm::ArrayRef<std::string> Module::searchPaths() const {
  return replaced ? replaced->searchPaths : slice->searchPaths;
}

std::optional<SearchPathKind> Module::searchPathKind() const {
  return replaced ? replaced->searchPathKind : slice->searchPathKind;
}

bool Module::isDropped(size_t dependency) const {
  return replaced && dependency < replaced->isDropped.size() && replaced->isDropped[dependency];
}

bool Module::isNamed(llvm::StringRef name) const {
  return targetPath == name || (slice->identity && *slice->identity == name) ||
         llvm::is_contained(aliases, name);
}

llvm::StringRef Process::variable(const std::string& name) const {
  auto it = options.environment.find(name);
  return it == options.environment.end() ? llvm::StringRef() : llvm::StringRef(it->second);
}

const void* providerKey(const Process& process, int provider) {
  if (provider >= 0)
    return process.modules[provider].slice;
  return provider == kElsewhere ? &kElsewhere : nullptr;
}

std::optional<size_t> Process::findNamed(llvm::StringRef name) const {
  for (size_t i = 0; i < modules.size(); ++i)
    if (modules[i].isNamed(name))
      return i;
  return std::nullopt;
}

std::optional<size_t> Process::findFile(const Library& library) const {
  for (size_t i = 0; i < modules.size(); ++i)
    if (modules[i].library == &library)
      return i;
  return std::nullopt;
}

bool isSameArchitecture(llvm::StringRef one, llvm::StringRef other) {
  return canonicalArchitecture(one) == canonicalArchitecture(other);
}

Candidate open(const Process& process, Format format, const std::string& hostPath) {
  Candidate candidate;
  candidate.library = &process.store->open(hostPath);
  const Library& library = *candidate.library;
  if (library.problem) {
    candidate.complaint = library.problem->message;
    return candidate;
  }
  if (library.image.format != format) {
    candidate.complaint = "is " + formats::nameOf(library.image.format).str();
    return candidate;
  }
  candidate.slice = sliceFor(library.image, process.options.arch);
  if (candidate.slice) {
    candidate.outcome = Candidate::Outcome::Good;
    return candidate;
  }
  candidate.outcome = Candidate::Outcome::OtherArchitecture;
  candidate.complaint = "is for " + architecturesOf(library.image);
  return candidate;
}

size_t addModule(Process& process, const Candidate& candidate, std::string hostPath,
                 std::optional<size_t> loader) {
  Module module;
  module.library = candidate.library;
  module.slice = candidate.slice;
  if (auto it = process.overrides.find(candidate.library->path); it != process.overrides.end())
    module.replaced = it->second;
  module.targetPath = process.disk().targetPath(hostPath);
  module.path = std::move(hostPath);
  module.fileName = llvm::sys::path::filename(module.path).str();
  module.loader = loader;
  module.providers.assign(module.dependencies().size(), kAbsent);
  process.modules.push_back(std::move(module));
  return process.modules.size() - 1;
}

Search::Search(const Process& process, size_t requester, llvm::StringRef dependency) {
  binding.library = process.modules[requester].path;
  binding.dependency = dependency.str();
}

void Search::tried(std::string place, std::string outcome) {
  binding.tried.push_back({std::move(place), std::move(outcome)});
}

void Search::tried(std::string place, const Candidate& candidate) {
  hasOtherArchitecture |= candidate.outcome == Candidate::Outcome::OtherArchitecture;
  if (candidate.outcome == Candidate::Outcome::Unreadable)
    unreadable = candidate.library->path;
  tried(std::move(place), candidate.complaint);
}

void Search::found(const Module& provider, FoundBy how) {
  binding.state = Binding::State::Found;
  binding.provider = provider.path;
  binding.how = std::move(how);
}

std::string describeRequester(const Process& process, size_t module) {
  std::string text = baseName(process.modules[module].path).str();
  std::optional<size_t> loader = process.modules[module].loader;
  if (!loader)
    return text;
  text += " (needed by " + baseName(process.modules[*loader].path).str();
  // At the end of a long chain is the library that the user loads.
  size_t top = *loader;
  while (process.modules[top].loader)
    top = *process.modules[top].loader;
  if (top != *loader)
    text += ", loaded by " + baseName(process.modules[top].path).str();
  return text + ")";
}

LoadProblem problemOf(const std::string& hostPath, const Candidate& candidate) {
  LoadProblem problem;
  problem.code = candidate.outcome == Candidate::Outcome::OtherArchitecture
                     ? LoadProblem::Code::WrongArchitecture
                     : LoadProblem::Code::Unreadable;
  problem.library = problem.provider = hostPath;
  problem.message = baseName(hostPath).str() + " " + candidate.complaint;
  return problem;
}

LoadProblem problemOf(const Process& process, size_t requester, const Search& search) {
  LoadProblem problem;
  problem.library = search.binding.library;
  problem.dependency = search.binding.dependency;
  problem.tried = search.binding.tried;
  std::string beginning = describeRequester(process, requester) + " needs " + problem.dependency;
  if (search.hasOtherArchitecture) {
    problem.code = LoadProblem::Code::WrongArchitecture;
    problem.message =
        beginning + ", which was found only for architectures other than " + process.options.arch;
  } else if (!search.unreadable.empty()) {
    problem.code = LoadProblem::Code::Unreadable;
    problem.provider = search.unreadable;
    problem.message = beginning + ", but " + process.disk().targetPath(search.unreadable) +
                      " is not a library (" + problem.tried.back().outcome + ")";
  } else {
    problem.code = LoadProblem::Code::MissingDependency;
    problem.message = beginning + (problem.tried.empty() ? ", and no search path is set"
                                                         : ", which was not found");
  }
  return problem;
}

LoadProblem missingSymbols(const Process& process, size_t importer, llvm::StringRef dependency,
                           llvm::StringRef provider, std::vector<std::string> symbols) {
  LoadProblem problem;
  problem.code = LoadProblem::Code::MissingSymbols;
  problem.library = process.modules[importer].path;
  problem.dependency = dependency.str();
  problem.provider = provider.str();
  problem.symbols = std::move(symbols);
  problem.message = describeMissing(problem, describeRequester(process, importer));
  return problem;
}

void setVerdict(LoadResult& result) {
  if (!result.problems.empty())
    result.verdict = Verdict::Fails;
  else if (llvm::any_of(result.bindings, [](const Binding& binding) {
             return binding.state == Binding::State::Unknown;
           }))
    result.verdict = Verdict::Unknown;
  else
    result.verdict = Verdict::Loads;
}

} // namespace tcfix::resolve
