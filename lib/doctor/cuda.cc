// CUDA: a package that is built for another one than torch, or for any, where torch has none.
#include "doctor/rules.h"
#include "recipe/cuda_name.h"

namespace tcfix::doctor {

using Kind = Defect::Kind;

namespace {

/// A library that is built for CUDA, and a dependency that shows for which one, if any does.
struct CudaUse {
  std::string library = {}, dependency = {};
  int major = 0;
};

std::optional<CudaUse> cudaUseOf(const survey::PackageFacts& facts) {
  std::optional<CudaUse> use;
  for (const survey::LibraryFacts& library : facts.libraries)
    for (const Dependency& dependency : library.original.dependencies) {
      const std::optional<int> major = recipe::cudaMajorOf(dependency.name);
      if (major && (!use || (use->major == 0 && *major != 0)))
        use = {library.path, dependency.name, *major};
    }
  return use;
}

} // namespace

void findCudaDefects(const ExaminedPackage& package, Defects& defects) {
  const recipe::TorchBuild torch = package.torchBuild();
  const std::optional<CudaUse> use = cudaUseOf(package.facts);
  if (package.recipe().torchMatches.empty() || !use || !isOtherCuda(use->dependency, torch))
    return;
  Defect defect{Kind::CudaVariantMismatch, use->library, use->dependency};
  defect.isCause = !package.loads;
  // What is missing follows from it, and installing that would not help.
  llvm::erase_if(defects, [](const Defect& other) { return other.kind == Kind::CudaMissing; });
  defects.push_back(std::move(defect));
}

} // namespace tcfix::doctor
