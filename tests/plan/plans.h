// A package of tiny libraries on its own disk, and the plan for it.
#pragma once

#include "plan/plan.h"
#include "resolve/world.h"

namespace tcfix::plan {

class Planned {
public:
  Planned(Platform platform, resolve::World& world) : world(world) {
    facts.platform = platform;
    facts.root = world.at("/env");
    facts.process.arch = "x86_64";
    facts.package.name = "torchcodec";
    facts.package.recipe = recipe::defaultRecipe();
  }

  /// A library of the package, as its installer left it.
  void addLibrary(llvm::StringRef name, Bytes content) {
    const std::string path = world.add("/env/torchcodec/" + name.str(), content);
    llvm::Expected<const Image*> image = world.store.image(path);
    ASSERT_TRUE(static_cast<bool>(image));
    facts.libraries.push_back(
        survey::describeLibrary(path, (*image)->slices.front(), facts.package.recipe));
  }

  void addTorch(llvm::StringRef name, Bytes content) {
    world.add("/env/torch/lib/" + name.str(), content);
    facts.torch.emplace();
    facts.torch->libFolder = world.at("/env/torch/lib");
    facts.torch->version = "2.9.1";
    facts.isAfterTorch = true;
    facts.torchNames.push_back(name.str());
  }

  /// An FFmpeg 7 inside the environment; `files` are the names of its components.
  void addFfmpeg(llvm::StringRef folder, std::map<std::string, std::string> files) {
    providers::FfmpegInstall install;
    install.major = 7;
    install.source = providers::FfmpegSource::Pyav;
    install.folder = world.at(folder);
    install.description = "PyAV 15.1.0";
    install.files = std::move(files);
    facts.ffmpegs.push_back(std::move(install));
  }

  PackagePlan run(const Request& request = {}) {
    return planPackage(facts, request, Simulation(facts, world.store));
  }

  resolve::World& world;
  PackageFacts facts;
};

/// The edits of one kind, in order.
template <typename Kind>
std::vector<Kind> editsOf(const Draft& draft) {
  std::vector<Kind> edits;
  for (const PlannedEdit& planned : draft.edits())
    if (const auto* edit = std::get_if<Kind>(&planned.edit))
      edits.push_back(*edit);
  return edits;
}

} // namespace tcfix::plan
