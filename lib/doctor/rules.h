// The doctor's rules: each examines a package and reports defects. One file for each concern.
#pragma once

#include "doctor/diagnosis.h"
#include "doctor/findings.h"
#include "plan/plan.h"
#include "recipe/recipe.h"
#include "survey/survey.h"
#include "trial/trial.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::doctor {

/// All facts about one package.
struct ExaminedPackage {
  const env::Target& found;
  const survey::PackageFacts& facts;
  const plan::PackagePlan& planned; ///< what apply would do
  resolve::LibraryStore& store;
  std::vector<GroupReport> groups = {};
  std::vector<GroupReport> onDemand = {}; ///< of libraries that need not load
  std::vector<int> required = {};         ///< majors that must load; empty: any one
  bool loads = false;                     ///< enough of it loads, or is not known to fail
  bool wouldLoadAfter = false;            ///< after tcfix apply
  bool isOneOfAll = false;                ///< --all: skip slow checks that do not affect loading
  bool simulatesLoading = false; ///< enough of it loads in the simulation, regardless of --run
  std::string applyCommand = {}; ///< "tcfix apply TARGET", with the options about the target
  std::string runCommand = {};   ///< "tcfix doctor --run --json TARGET", likewise
  std::optional<trial::Trial> trial = {}; ///< with --run; `loads` is then its result

  const recipe::Recipe& recipe() const { return facts.package.recipe; }
  std::string pythonVersion() const; ///< such as "3.12"; empty if unknown
  /// From its version, version.py and libraries; empty without torch.
  recipe::TorchBuild torchBuild() const;
  FindingContext context() const;

  /// False for a major that need not load.
  bool isWanted(const GroupReport& group) const {
    return required.empty() || llvm::is_contained(required, group.major);
  }
};

void findTorchDefects(const ExaminedPackage& package, Defects& defects); ///< versions
void findLoadDefects(const ExaminedPackage& package, Defects& defects);  ///< what loaders report
void findOnDemandDefects(const ExaminedPackage& package,
                         Defects& defects); ///< libraries that need not load
void findCudaDefects(const ExaminedPackage& package, Defects& defects);   ///< torch's, or another
void findFfmpegDefects(const ExaminedPackage& package, Defects& defects); ///< absent, unsupported
void findPythonDefects(const ExaminedPackage& package, Defects& defects); ///< tags, architecture
void findNumpyDefects(const ExaminedPackage& package, Defects& defects);  ///< NumPy's ABI
void findMacDefects(const ExaminedPackage& package, Defects& defects);    ///< signatures, min OS
void findHardenedPython(const ExaminedPackage& package,
                        Defects& defects);                               ///< part of findMacDefects
void findPathDefects(const ExaminedPackage& package, Defects& defects);  ///< search paths
void findSurroundings(const ExaminedPackage& package, Defects& defects); ///< other packages, RECORD
void findTrialDefects(const ExaminedPackage& package, Defects& defects); ///< --run

// Also for tracebacks: what follows from versions alone.

/// This torch was not built by PyTorch's own pipelines.
std::optional<Defect> vendorOfTorch(llvm::StringRef torchVersion);

/// A release was built for another torch than this one; nothing if it was not, or the recipe's
/// table does not contain it. The second form is for a range of releases.
std::optional<Defect> versionMismatch(const recipe::Recipe& recipe, llvm::StringRef release,
                                      llvm::StringRef torchVersion);
std::optional<Defect> versionMismatch(const recipe::Recipe& recipe, const recipe::MajorSpan& span,
                                      llvm::StringRef torchVersion);

} // namespace tcfix::doctor
