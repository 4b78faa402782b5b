// CUDA: a package built for another CUDA version than torch, or for CUDA while torch has none.
#include "doctor/rules.h"
#include "recipe/cuda_name.h"

namespace tcfix::doctor {

using Kind = Defect::Kind;

namespace {

/// A library that is built for CUDA, and a dependency that shows the version, if there is one.
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
  // Missing parts of CUDA are a consequence, and installing them would not help. Other missing
  // libraries come after it: the right build may not need them.
  llvm::erase_if(defects, [](const Defect& other) { return other.kind == Kind::CudaMissing; });
  defects.insert(llvm::find_if(defects,
                               [](const Defect& other) {
                                 return other.kind >= Kind::MissingDependency &&
                                        other.kind <= Kind::LibraryTooOld;
                               }),
                 std::move(defect));
}

} // namespace tcfix::doctor
