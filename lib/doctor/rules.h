// The doctor's rules: each looks at an examined package and reports defects. One file for each
// concern.
#pragma once

#include "doctor/diagnosis.h"
#include "doctor/findings.h"
#include "plan/plan.h"
#include "recipe/recipe.h"
#include "survey/survey.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::doctor {

/// Everything that is known of one package.
struct ExaminedPackage {
  const env::Target& found;
  const survey::PackageFacts& facts;
  const plan::PackagePlan& planned; ///< what apply would do
  resolve::LibraryStore& store;
  std::vector<GroupReport> groups = {};
  std::vector<GroupReport> onDemand = {}; ///< of libraries that need not load
  std::vector<int> required = {};         ///< majors that must load; empty: any one
  bool loads = false;                     ///< enough of it does, or nothing shows that it does not
  bool wouldLoadAfter = false;            ///< after tcfix apply
  std::string applyCommand = {}; ///< "tcfix apply TARGET", with the options about the target

  const recipe::Recipe& recipe() const { return facts.package.recipe; }
  std::string pythonVersion() const; ///< such as "3.12"; empty if nothing says it
  /// By its version, version.py and libraries; empty without torch.
  recipe::TorchBuild torchBuild() const;
  FindingContext context() const;

  /// False for a major that need not load.
  bool isWanted(const GroupReport& group) const {
    return required.empty() || llvm::is_contained(required, group.major);
  }
};

void findTorchDefects(const ExaminedPackage& package, Defects& defects);   ///< versions
void findLoadDefects(const ExaminedPackage& package, Defects& defects);    ///< what loaders report
void findCudaDefects(const ExaminedPackage& package, Defects& defects);    ///< torch's, or another
void findFfmpegDefects(const ExaminedPackage& package, Defects& defects);  ///< absent, unsupported
void findPythonDefects(const ExaminedPackage& package, Defects& defects);  ///< tags, architecture
void findMacDefects(const ExaminedPackage& package, Defects& defects);     ///< signatures, min OS
void findHardenedPython(const ExaminedPackage& package, Defects& defects); ///< a part of the last
void findPathDefects(const ExaminedPackage& package, Defects& defects);    ///< search paths
void findSurroundings(const ExaminedPackage& package, Defects& defects);   ///< shadows, RECORD

/// Host paths of torch's libraries; none without torch.
std::vector<std::string> torchLibrariesOf(const survey::PackageFacts& facts);

/// The one with most of torch's symbols; empty if it is not there.
std::string mainTorchLibraryOf(const survey::PackageFacts& facts);

// For texts, too: what versions alone show.

/// This torch was not built by PyTorch's own pipelines.
std::optional<Defect> vendorOfTorch(llvm::StringRef torchVersion);

/// A release was built for another torch than this one; nothing if it was not, or the recipe's
/// table does not say. The second form knows only that it is one of these releases.
std::optional<Defect> versionMismatch(const recipe::Recipe& recipe, llvm::StringRef release,
                                      llvm::StringRef torchVersion);
std::optional<Defect> versionMismatch(const recipe::Recipe& recipe, const recipe::MajorSpan& span,
                                      llvm::StringRef torchVersion);

} // namespace tcfix::doctor
