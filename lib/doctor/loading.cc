// Why libraries do not load, as the simulated loader saw it.
#include "doctor/rules.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::doctor {

using resolve::LoadProblem;

namespace {

std::string nameOfFile(llvm::StringRef path) {
  return llvm::sys::path::filename(path).str();
}

bool isFfmpeg(llvm::StringRef dependency) {
  return env::parseFfmpegName(dependency).has_value();
}

bool isTorch(const Case& facts, llvm::StringRef provider) {
  return facts.facts.torch && provider.starts_with(facts.facts.torch->libFolder);
}

std::vector<std::string> placesOf(const LoadProblem& problem) {
  std::vector<std::string> places;
  for (const resolve::Attempt& attempt : problem.tried)
    places.push_back(attempt.place + ": " + attempt.outcome);
  return places;
}

std::vector<std::string> demangled(llvm::ArrayRef<std::string> symbols) {
  std::vector<std::string> result;
  for (const std::string& symbol : symbols) {
    // Mach-O puts an underscore before every name, also before mangled ones.
    llvm::StringRef name = symbol;
    if (name.starts_with("__Z"))
      name = name.drop_front();
    result.push_back(llvm::demangle(name.str()));
  }
  return result;
}

std::string symbolAction(const Case& facts, const LoadProblem& problem) {
  if (facts.facts.package.name != "torchcodec" || !facts.facts.torch ||
      !isTorch(facts, problem.provider))
    return {};
  std::optional<std::string> fitting = torchcodecFor(facts.facts.torch->version);
  return fitting ? "pip install \"torchcodec==" + *fitting + "\"" : std::string();
}

// One finding for each importer and provider.
void addSymbols(const Case& facts, const LoadProblem& problem, Findings& findings) {
  Finding finding{
      "missing-symbols",
      Severity::Error,
      nameOfFile(problem.library) + " needs " + std::to_string(problem.symbols.size()) +
          (problem.symbols.size() == 1 ? " symbol" : " symbols") + " that " +
          (problem.provider.empty() ? "nothing" : nameOfFile(problem.provider)) + " does not have" +
          (isTorch(facts, problem.provider)
               ? ": it was built against another torch than " + facts.facts.torch->version
               : ""),
      problem.library,
      {{"library", problem.provider},
       {"symbols", problem.symbols},
       {"demangled", demangled(problem.symbols)}},
      symbolAction(facts, problem)};
  if (problem.provider.empty())
    finding.message = nameOfFile(problem.library) + " needs symbols that nothing offers";
  findings.push_back(std::move(finding));
}

// NVIDIA's wheels bring the libraries; those for CUDA 12 carry it in their names.
std::string cudaAction(llvm::StringRef name) {
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kWheels[] = {
      {"libnvrtc", "nvidia-cuda-nvrtc"},    {"libnpp", "nvidia-npp"},
      {"libcudart", "nvidia-cuda-runtime"}, {"libnvjpeg", "nvidia-nvjpeg"},
      {"libcublas", "nvidia-cublas"},       {"libcudnn", "nvidia-cudnn"}};
  for (const auto& [prefix, wheel] : kWheels)
    if (name.starts_with(prefix))
      return "pip install " + wheel.str() + (name.contains(".so.12") ? "-cu12" : "");
  return {};
}

void addDependency(const Case& facts, const LoadProblem& problem, Findings& findings) {
  llvm::StringRef name = plan::baseName(problem.dependency);
  bool isPython = name.starts_with("libpython") || name.starts_with_insensitive("python3");
  bool isCuda = llvm::any_of(std::initializer_list<llvm::StringRef>{"libcu", "libnv", "libnpp",
                                                                    "libc10_cuda", "libtorch_cuda"},
                             [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
  Finding finding{isPython ? "libpython-missing"
                  : isCuda ? "cuda-missing"
                           : "missing-dependency",
                  Severity::Error,
                  problem.message,
                  problem.library,
                  {{"dependency", problem.dependency}, {"tried", placesOf(problem)}},
                  facts.wouldLoadAfter ? facts.applyCommand : std::string()};
  if (isCuda && finding.action.empty())
    finding.action = cudaAction(name);
  findings.push_back(std::move(finding));
}

void addVersion(const LoadProblem& problem, Findings& findings) {
  bool isCxx = llvm::any_of(problem.symbols, [](llvm::StringRef version) {
    return version.starts_with("GLIBCXX") || version.starts_with("CXXABI");
  });
  findings.push_back({isCxx ? "libstdcxx-too-old" : "glibc-too-old",
                      Severity::Error,
                      problem.message,
                      problem.library,
                      {{"library", problem.provider}, {"versions", problem.symbols}},
                      isCxx ? "conda install -c conda-forge libstdcxx-ng"
                            : "pip install --only-binary=:all: --force-reinstall torchcodec"});
}

void add(const Case& facts, const LoadProblem& problem, Findings& findings) {
  switch (problem.code) {
  case LoadProblem::Code::MissingDependency:
    if (!isFfmpeg(problem.dependency)) // ffmpeg.cc speaks of those
      addDependency(facts, problem, findings);
    break;
  case LoadProblem::Code::MissingSymbols:
    addSymbols(facts, problem, findings);
    break;
  case LoadProblem::Code::MissingVersion:
    addVersion(problem, findings);
    break;
  case LoadProblem::Code::WrongArchitecture:
    findings.push_back({"wrong-architecture",
                        Severity::Error,
                        problem.message,
                        problem.library,
                        {{"dependency", problem.dependency}, {"tried", placesOf(problem)}},
                        "python -c \"import platform; print(platform.machine())\""});
    break;
  case LoadProblem::Code::DuplicateEntry:
    findings.push_back({"duplicate-search-path",
                        Severity::Error,
                        problem.message,
                        problem.library,
                        {{"entry", problem.dependency}},
                        facts.applyCommand});
    break;
  case LoadProblem::Code::Unreadable:
    findings.push_back({"unreadable",
                        Severity::Error,
                        problem.message,
                        problem.provider.empty() ? problem.library : problem.provider,
                        {},
                        "pip install --force-reinstall --no-deps " + facts.facts.package.name});
    break;
  }
}

} // namespace

void findLoadProblems(const Case& facts, Findings& findings) {
  // A major that is not needed may lack what it likes. Symbols that torch lacks are told of all of
  // them: they show that the versions do not go together.
  std::set<std::pair<std::string, std::string>> told;
  for (const GroupReport& group : facts.groups) {
    bool isFirstOfLibrary = true;
    for (const LibraryReport& library : group.libraries)
      for (const LoadProblem& problem : library.loads.problems) {
        bool isAbi = problem.code == LoadProblem::Code::MissingSymbols;
        bool isCause = isFirstOfLibrary && !facts.loads;
        isFirstOfLibrary = false;
        if ((isAbi || isCause) &&
            told.insert({problem.library, problem.dependency + problem.provider}).second) {
          size_t before = findings.size();
          add(facts, problem, findings);
          if (facts.loads && findings.size() > before)
            findings.back().severity = Severity::Warning;
        }
      }
  }
}

} // namespace tcfix::doctor
