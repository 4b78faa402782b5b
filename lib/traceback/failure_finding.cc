#include "traceback/failure_finding.h"

#include "advice/advice.h"
#include "image/names.h"
#include "providers/torch.h"
#include "recipe/cuda_name.h"
#include "traceback/phrase.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::traceback {

using doctor::Finding;
using doctor::FindingContext;
using Kind = Defect::Kind;

namespace {

/// A file of an unknown package: the next step is to examine it.
/// The name of a module beside its package begins with the package's: "NAME_cuda" of NAME.
std::string doctorCommand(const Defect& failure, const TracebackFacts& facts) {
  if (failure.path.find_first_of("/\\") != std::string::npos)
    return "tcfix doctor " + advice::quoted(failure.path);
  for (const std::string& package : facts.packages)
    if (package != "torch" &&
        llvm::StringRef(failure.path.empty() ? failure.subject : failure.path).starts_with(package))
      return "tcfix doctor --package " + advice::quoted(package);
  const std::string distribution = advice::distributionOf(failure.subject);
  if (failure.path.empty() && !distribution.empty() && // its own message names it
      (advice::isBuiltForOneTorch(distribution) || failure.isOpenedByName ||
       failure.kind == Kind::CauseNotTold))
    return "tcfix doctor --package " + advice::quoted(distribution);
  return failure.isOpenedByName ? std::string() : "tcfix doctor FILE"; // no file lists it
}

/// A part of the toolkit or of torch is missing: either torch has that CUDA, and only a part of it
/// is missing, or the package was built for another one. The driver's libraries show neither. If
/// nothing else is about torch, only a CUDA version that no other package requires yet shows it.
bool isOfOtherCuda(llvm::StringRef library, const recipe::TorchBuild& torch, bool isAboutTorch) {
  if (torch.cudaMajor)
    return recipe::isOtherCuda(library, torch);
  constexpr int kNewestCuda = 13;
  const int major = recipe::cudaMajorOf(library).value_or(0);
  return (isAboutTorch ? major != 0 : major >= kNewestCuda) || providers::isTorchLibrary(library);
}

/// The missing libraries of the system in a text: this one, and those that fail after it.
std::vector<std::string> systemLibrariesOf(const Defect& first, const TracebackFacts& facts) {
  std::vector<std::string> libraries = {first.name};
  for (const FailureGroup& group : facts.groups)
    for (const Defect& failure : group.failures)
      if (group.major == 0 && failure.kind == Kind::MissingDependency &&
          failure.subject == first.subject)
        libraries.push_back(failure.name);
  return libraries;
}

/// True for a library of the system that failed while the package was loaded with some FFmpeg: that
/// FFmpeg was found, and one of its own dependencies fails.
bool isBehindFfmpeg(const Defect& failure, const TracebackFacts& facts) {
  const bool isKind = failure.kind == Kind::MissingSymbols || failure.kind == Kind::LibraryTooOld ||
                      failure.kind == Kind::MissingDependency;
  const llvm::StringRef path = failure.path;
  const bool isOfSystem = path.starts_with("/") && packageOf(path).empty() &&
                          path.contains(".so") && !isOwnLibrary(failure) &&
                          !providers::isTorchLibrary(baseName(path));
  return isKind && isOfSystem && llvm::any_of(facts.groups, [&](const FailureGroup& group) {
           return group.major != 0 && contains(group.failures, failure);
         });
}

/// The command for another package; empty if nothing in the text shows one.
std::string actionForOther(const Defect& failure, const Defect& defect, const std::string& package,
                           const FindingContext& context, const TracebackFacts& facts) {
  // Each of these requires one torch.
  if (advice::isBuiltForOneTorch(package) && !context.torch.version.empty() &&
      !context.torch.isForeign() && defect.kind == Kind::MissingTorchSymbols)
    return advice::installCommand(context, package);
  if (defect.kind == Kind::MissingTorchSymbols && !facts.isOnJetson)
    if (std::string again = advice::rebuildCommand(
            context, package.empty() ? baseName(failure.path).str() : package);
        !again.empty())
      return again;
  if (defect.kind == Kind::CudaVariantMismatch ||
      (defect.kind == Kind::MissingDependency && providers::isTorchLibrary(defect.name)))
    if (std::string same = advice::sameBuildCommand(context, package); !same.empty())
      return same;
  if (defect.kind == Kind::CudaMissing && failure.isOpenedByName) {
    const std::string release = advice::cudaReleaseCommand(context, failure.name);
    return release.empty() ? advice::openedCudaCommand(context, failure.name) : release;
  }
  if (package == "torch" && !failure.items.empty())
    return advice::torchSymbolCommand(context, failure.items.front(), failure.provider);
  if (failure.kind == Kind::MissingDependency &&
      (defect.kind == Kind::MissingDependency || package == "torch"))
    return advice::systemPackageCommand(context, systemLibrariesOf(failure, facts));
  return {};
}

/// True if the finding's own command reinstalls a package, and nothing shows that an index has a
/// better one, or any.
bool isPointless(const Finding& finding, const Defect& failure, const Defect& defect,
                 const FindingContext& context, const std::string& package) {
  return finding.action == advice::reinstallCommand(context) &&
         (packageOf(failure.path).empty() || advice::distributionOf(package) != package ||
          defect.kind == Kind::MissingSymbols || defect.kind == Kind::MissingTorchSymbols ||
          defect.kind == Kind::LibraryTooOld);
}

} // namespace

Finding findingOf(const Defect& failure, FindingContext context, const TracebackFacts& facts) {
  const std::string package = failedPackage(failure, facts);
  const bool isOwn = package == context.package;
  const std::string bundled =
      isBehindFfmpeg(failure, facts) ? advice::bundledFfmpegCommand(context, {}) : std::string();
  if (!isOwn) {
    context.package = package;
    context.release.clear(); // the release of the other package
    if (const std::string name = advice::distributionOf(package); !name.empty())
      context.applyCommand += " --package " + advice::quoted(name);
  }
  Defect defect = classified(failure, package, facts);
  // The package's own channel is torch's: "0.10.0+cu128".
  const std::optional<int> channels = recipe::torchBuildOf(context.release).cudaMajor;
  const bool isOfChannel = isOwn && !context.torch.cudaMajor && channels.value_or(0) != 0 &&
                           recipe::cudaMajorOf(defect.name) == channels;
  if ((isOwn || package.empty() || providers::isTorchLibrary(defect.name)) &&
      defect.kind == Kind::CudaMissing && !defect.isOpenedByName && !isOfChannel &&
      isOfOtherCuda(defect.name, context.torch, isOwn || facts.isAboutTorch))
    defect.kind = Kind::CudaVariantMismatch;
  if (defect.kind == Kind::TorchVersionMismatch) { // as the package itself reports it
    context.torch = recipe::torchBuildOf(defect.name);
    defect.name.clear();
  }
  // Neither is installed yet, according to an installer's error.
  context.canReplaceTorch |= defect.kind == Kind::NoWheel && !context.torch.isForeign() &&
                             !facts.isOnJetson && !facts.versions.isTorchOfConda;
  if (context.machine.platform == Platform::MacOs && defect.isOpenedByName)
    if (llvm::StringRef name = defect.name; name.consume_back(".so"))
      defect.name = name.str() + ".dylib";
  Finding finding = doctor::wordFinding(defect, context);
  if (!isOwn &&
      (defect.kind == Kind::Cxx11Abi || isPointless(finding, failure, defect, context, package)))
    finding.action.clear();
  // NVIDIA's wheels are found through torch; other packages search elsewhere.
  if (!isOwn && package != "torch" && defect.kind == Kind::CudaMissing)
    finding.action.clear();
  if (!isOwn)
    if (std::string action = actionForOther(failure, defect, package, context, facts);
        !action.empty() &&
        (finding.action.empty() || package == "torch" || defect.kind == Kind::MissingTorchSymbols ||
         providers::isTorchLibrary(defect.name) || defect.kind == Kind::CudaVariantMismatch))
      finding.action = std::move(action);
  if (!bundled.empty())
    finding.action = bundled;
  // Another version of a part of CUDA is found first, such as the system's.
  if (isOwn && defect.kind == Kind::MissingSymbols && recipe::cudaMajorOf(failure.provider))
    finding.action = advice::openedCudaCommand(context, failure.provider);
  // An installer's failure is not about a file.
  const bool isFile = defect.kind != Kind::PackageMissing && defect.kind != Kind::NoWheel &&
                      defect.kind != Kind::RequirementsConflict &&
                      !(package.empty() && defect.kind == Kind::CudaVariantMismatch);
  if (finding.action.empty() && package == "torch" && isFile)
    finding.action = "tcfix doctor --package torch";
  else if (finding.action.empty() && !isOwn && isFile)
    finding.action = doctorCommand(failure, facts);
  return finding;
}

} // namespace tcfix::traceback
