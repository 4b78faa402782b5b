// A package with one defect, built in code, and what the doctor's rules report about it.
#pragma once

#include "doctor/rules.h"
#include "resolve/world.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

using resolve::LoadProblem;
using resolve::Verdict;

class Case {
public:
  explicit Case(Platform platform = Platform::Linux, std::string name = "torchcodec")
      : found{{}, {}, {}, platform, "", world.disk} {
    facts.platform = platform;
    facts.process.arch = platform == Platform::MacOs ? "arm64" : "x86_64";
    facts.package.name = std::move(name);
    facts.package.recipe = recipe::recipeFor(facts.package.name);
    facts.package.version = "0.9.1";
    facts.package.site = world.at("/env/site-packages");
    facts.package.distInfo = facts.package.site + "/torchcodec-0.9.1.dist-info";
    facts.isAfterTorch = true;
    facts.torch = providers::TorchInstall{"2.9.1", world.at("/env/torch/lib"), facts.package.site,
                                          facts.package.site + "/torch-2.9.1.dist-info"};
  }

  /// A library of the package; `searchPaths` are those of its installer.
  std::string addLibrary(const std::string& name, Bytes content,
                         std::vector<std::string> searchPaths = {}) {
    survey::LibraryFacts library;
    library.name = name;
    library.path = world.add("/env/site-packages/torchcodec/" + name, content);
    library.original.searchPaths = std::move(searchPaths);
    facts.libraries.push_back(library);
    return library.path;
  }

  /// A group of one library, which fails with this problem.
  void addFailure(LoadProblem::Code code, const std::string& dependency,
                  const std::string& provider = {}, std::vector<std::string> symbols = {},
                  int major = 7) {
    const std::string path = world.at("/env/site-packages/torchcodec/core.so");
    LoadProblem problem{code, path, dependency, provider, std::move(symbols), {}, "it failed"};
    groups.push_back({major, Verdict::Fails, Verdict::Fails, {}, {}});
    groups.back().libraries.push_back({path, {Verdict::Fails, {problem}, {}}});
  }

  void addFfmpeg(int major, const std::string& folder, const std::string& defect = {},
                 providers::FfmpegSource source = providers::FfmpegSource::System) {
    providers::FfmpegInstall install;
    install.major = major;
    install.source = source;
    install.folder = world.at(folder);
    install.description = "some FFmpeg";
    install.defect = defect;
    facts.ffmpegs.push_back(install);
  }

  std::vector<Finding> run(void (*rule)(const ExaminedPackage&, Defects&)) {
    ExaminedPackage package{found, facts, planned, world.store};
    package.groups = groups;
    package.onDemand = onDemand;
    package.required = required;
    package.loads = loads;
    package.wouldLoadAfter = wouldLoadAfter;
    package.applyCommand = "tcfix apply env";
    package.trial = trial;
    Defects defects;
    rule(package, defects);
    std::vector<Finding> findings;
    for (const Defect& defect : defects)
      findings.push_back(wordFinding(defect, package.context()));
    return findings;
  }

  std::vector<std::string> codes(void (*rule)(const ExaminedPackage&, Defects&)) {
    std::vector<std::string> codes;
    for (const Finding& finding : run(rule))
      codes.push_back(finding.code);
    return codes;
  }

  resolve::World world;
  env::Target found;
  survey::PackageFacts facts;
  plan::PackagePlan planned;
  std::vector<GroupReport> groups, onDemand;
  std::vector<int> required;
  bool loads = false, wouldLoadAfter = false;
  std::optional<trial::Trial> trial;
};

inline Bytes bytesOf(llvm::StringRef text) {
  return llvm::arrayRefFromStringRef(text);
}

} // namespace tcfix::doctor
