// Why libraries do not load, as the simulated loader saw it.
#include "doctor/rules.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace tcfix::doctor {

using resolve::LoadProblem;

namespace {

bool isFfmpeg(llvm::StringRef dependency) {
  return providers::parseFfmpegName(dependency).has_value();
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

// Then no library of NVIDIA's helps.
bool lacksCudaInTorch(const Case& facts) {
  return facts.facts.torch && llvm::none_of(facts.facts.torchNames, [](llvm::StringRef name) {
           return name.contains("c10_cuda");
         });
}

} // namespace

std::vector<std::string> placesOf(const LoadProblem& problem) {
  std::vector<std::string> places;
  for (const resolve::Attempt& attempt : problem.tried)
    places.push_back(attempt.place + ": " + attempt.outcome);
  return places;
}

Finding missingDependency(const Scene& scene, const LoadProblem& problem, bool isTorchWithoutCuda) {
  llvm::StringRef name = baseName(problem.dependency);
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
                  scene.isRepairable ? scene.applyCommand : std::string()};
  if (isCuda && isTorchWithoutCuda)
    finding.message +=
        "; this " + scene.package + " is built for CUDA, and torch " + scene.torch + " is not";
  else if (isCuda && finding.action.empty())
    finding.action = cudaAction(name);
  return finding;
}

Finding duplicateEntry(const Scene& scene, const LoadProblem& problem) {
  return {"duplicate-search-path",         Severity::Error,   problem.message, problem.library,
          {{"entry", problem.dependency}}, scene.applyCommand};
}

namespace {

void add(const Case& facts, const LoadProblem& problem, Findings& findings) {
  switch (problem.code) {
  case LoadProblem::Code::MissingDependency:
    if (!isFfmpeg(problem.dependency) && // ffmpeg.cc speaks of those, versions.cc of no torch
        (facts.facts.torch || !isTorchLibrary(problem.dependency)))
      findings.push_back(missingDependency(facts.scene(), problem, lacksCudaInTorch(facts)));
    break;
  case LoadProblem::Code::MissingSymbols:
    addMissingSymbols(facts, problem, findings);
    break;
  case LoadProblem::Code::MissingVersion:
    findings.push_back(missingVersion(facts.scene(), problem));
    break;
  case LoadProblem::Code::WrongArchitecture:
    if (problem.library == problem.provider) // python.cc speaks of the package's own
      break;
    findings.push_back({"wrong-architecture",
                        Severity::Error,
                        problem.message,
                        problem.library,
                        {{"dependency", problem.dependency}, {"tried", placesOf(problem)}},
                        isFfmpeg(problem.dependency)
                            ? ffmpegInstallCommand(facts.scene(), facts.groups.front().major)
                            : reinstallCommand(facts.facts.package)});
    break;
  case LoadProblem::Code::DuplicateEntry:
    findings.push_back(duplicateEntry(facts.scene(), problem));
    break;
  case LoadProblem::Code::Refused: // mac.cc speaks of those
    break;
  case LoadProblem::Code::Unreadable:
    findings.push_back({"unreadable",
                        Severity::Error,
                        problem.message,
                        problem.provider.empty() ? problem.library : problem.provider,
                        {},
                        reinstallCommand(facts.facts.package)});
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
        bool isAbi = problem.code == LoadProblem::Code::MissingSymbols ||
                     problem.code == LoadProblem::Code::MissingVersion;
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
