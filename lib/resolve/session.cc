#include "resolve/explain.h"
#include "resolve/process.h"

#include "base/enum_name.h"
#include "image/names.h"

namespace tcfix::resolve {

namespace {

LoadResult loadInto(Process& process, Format format, const std::string& hostPath) {
  switch (format) {
  case Format::MachO:
    return loadByDyld(process, hostPath);
  case Format::Elf:
    return loadByLdSo(process, hostPath);
  case Format::Pe:
    return loadByWindows(process, hostPath);
  }
  return {};
}

/// Loads the executable and its dependencies first. It is known to run, so a problem there is a
/// limit of the simulation and is not reported.
void startExecutable(Process& process) {
  const Library& executable = process.store->open(process.options.executable);
  if (executable.problem)
    return;
  if (process.options.arch.empty())
    process.options.arch = executable.image.slices.front().arch;
  Process started = process;
  // Its path may be a link, as in every venv; the loaders use the real path.
  loadInto(started, executable.image.format, executable.path);
  if (started.modules.empty())
    return;
  process = std::move(started);
  process.hasExecutable = true;
  process.globalCount = process.modules.size();
}

LoadResult unreadable(const Library& library) {
  LoadProblem problem;
  problem.code = LoadProblem::Code::Unreadable;
  problem.library = problem.provider = library.path;
  problem.message = baseName(library.path).str() + ": " + library.problem->message;
  LoadResult result;
  result.problems.push_back(std::move(problem));
  setVerdict(result);
  return result;
}

} // namespace

llvm::StringRef nameOf(LoadProblem::Code code) {
  return enumName<LoadProblem::Code::Refused>(
      code, {"missing-dependency", "missing-symbols", "missing-version", "wrong-architecture",
             "duplicate-entry", "duplicate-dependency", "unreadable", "refused"});
}

std::string countMissing(const LoadProblem& problem, std::string requester) {
  const size_t count = problem.symbols.size();
  if (requester.empty())
    requester = baseName(problem.library).str();
  return requester + " needs " + (count == 0 ? "a" : std::to_string(count)) +
         (count < 2 ? " symbol that " : " symbols that ") +
         (problem.provider.empty() ? "no library has"
                                   : baseName(problem.provider).str() + " does not have");
}

std::string describeMissing(const LoadProblem& problem, std::string requester) {
  return countMissing(problem, std::move(requester)) +
         (problem.symbols.size() == 1 ? ": " : ", such as ") + problem.symbols.front();
}

Session::Session(LibraryStore& store, ProcessOptions options)
    : process(std::make_unique<Process>()) {
  process->store = &store;
  process->options = std::move(options);
}

Session::Session(const Process& process) : process(std::make_unique<Process>(process)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;

Session Session::clone() const {
  return Session(*process);
}

void Session::start() {
  if (process->modules.empty() && !process->options.executable.empty())
    startExecutable(*process);
}

void Session::overrideLibrary(const std::string& hostPath, LibraryOverride replaced) {
  const Library& library = process->store->open(hostPath);
  process->overrides[library.path] = std::make_shared<const LibraryOverride>(std::move(replaced));
}

LoadResult Session::load(const std::string& hostPath, const ExplainOptions* explaining) {
  start();
  const Library& library = process->store->open(hostPath);
  if (library.problem)
    return unreadable(library);
  if (process->options.arch.empty())
    process->options.arch = library.image.slices.front().arch;
  if (process->modules.empty() && process->options.isPython && library.image.format == Format::Elf)
    startPythonByLdSo(*process);
  Process tried = *process;
  LoadResult result = loadInto(tried, library.image.format, hostPath);
  setVerdict(result);
  process->ldSo = tried.ldSo;
  if (result.verdict != Verdict::Fails)
    *process = std::move(tried);
  if (explaining)
    explain(result, hostPath, process->options.arch, *process->store, *explaining);
  return result;
}

void Session::trustSymbols(bool isTrusting) {
  process->trustsSymbols = isTrusting;
}

void Session::stayShallow() {
  process->isShallow = true;
}

std::vector<std::string> Session::loaded() const {
  std::vector<std::string> paths;
  for (const Module& module : process->modules)
    paths.push_back(module.path);
  return paths;
}

} // namespace tcfix::resolve
