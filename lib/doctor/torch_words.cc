#include "doctor/words.h"

#include "advice/advice.h"
#include "base/version.h"
#include "recipe/cuda_name.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

namespace {

std::string cudaText(int major) {
  return major ? "CUDA " + std::to_string(major) : "CUDA";
}

} // namespace

Words torchMissing(const Defect& defect, const FindingContext& context) {
  FindingContext without = context;
  without.torchIsMissing = without.canReplaceTorch = true;
  return withQuote(defect,
                   defect.isFromText() ? sentenceOf(defect)
                                       : "torch is not installed in this environment",
                   torchInstallCommand(without));
}

Words torchBroken(const Defect& defect, const FindingContext& context) {
  const bool isCuda = kindOfDependency(defect.name) == Defect::Kind::CudaMissing;
  // PyTorch's wheels of that time contained CUDA, so this torch was built by another vendor.
  const std::optional<Version> version = parseVersion(context.torch.version);
  const bool isForeign = isCuda && version && *version < Version{2, 0};
  const bool isHip = llvm::StringRef(defect.path).ends_with("hip.dll");
  Words words{"torch itself does not load: " + sentenceOf(defect) +
                  (isHip ? "; what it needs comes with AMD's driver" : ""),
              {{"dependency", defect.name}},
              defect.kind == Defect::Kind::TorchLacksRuntime
                  ? "winget install Microsoft.VCRedist.2015+.x64"
              : isForeign ? std::string()
                          : torchReinstallCommand(context, isCuda)};
  if (defect.isFromText())
    words.evidence.push_back({"text", *defect.quote});
  return words;
}

Words vendorTorch(const Defect& defect, const FindingContext& context) {
  const bool isForeign = context.torch.isForeign();
  const std::string& version = context.torch.version;
  const std::string beginning =
      (version.empty() ? "this torch" : "torch " + version) + " is " + defect.name + ": ";
  return {
      beginning + context.package + "'s own wheels are built for PyTorch's" +
          (isForeign
               ? "; build " + context.package + " against this torch, then install its libraries"
               : " usual builds; it has others for this one"),
      {{"torch", context.torch.version}},
      isForeign ? context.applyCommand + " --replace-from BUILD_DIR" : sameChannelCommand(context)};
}

Words torchVersionMismatch(const Defect& defect, const FindingContext& context) {
  if (defect.name.empty()) { // about another package, which reports it itself
    const recipe::TorchBuild wanted = recipe::torchBuildOf(defect.actual);
    const bool isOtherBuild = llvm::StringRef(wanted.version).split('+').first ==
                              llvm::StringRef(context.torch.version).split('+').first;
    return withQuote(defect,
                     context.package + " is built for torch " + defect.actual + "; this is torch " +
                         context.torch.version,
                     context.torch.isForeign() ? std::string()
                     : isOtherBuild            ? channelCommand(context, "torch", defect.actual)
                                               : installCommand(context, context.package));
  }
  if (!defect.items.empty()) // from a text: torch is one of several
    return {context.package + " " + defect.name + " is not compatible with torch " +
                defect.items.front() + " (" + releasesByTorch(recipe::recipeFor(context.package)) +
                "). Run tcfix doctor on that machine to see which release to install",
            {{context.package, defect.name}, {"torch", defect.items.front()}},
            "tcfix doctor"};
  return {defect.actual.empty() ? "no " + context.package + " from " + defect.name +
                                      " is built for torch " + context.torch.version
                                : context.package + " " + defect.name + " is built for torch " +
                                      defect.actual + "; this is torch " + context.torch.version,
          {{context.package, defect.name}, {"torch", context.torch.version}},
          fittingReleaseCommand(context)};
}

Words twoTorches(const Defect& defect, const FindingContext& context) {
  const bool isOnePlace = defect.name == "same";
  return {"more than one torch is installed: " + context.torch.version + " and " +
              llvm::join(defect.items, ", ") +
              (isOnePlace ? ", in one directory; their files are mixed"
                          : "; Python uses the first on its path"),
          {{"torch", context.torch.version}, {"also", defect.items}},
          isOnePlace ? torchReinstallCommand(context, false)
                     : "python -c \"import torch; print(torch.__version__, torch.__file__)\""};
}

Words cudaMissing(const Defect& defect, const FindingContext& context) {
  Words words = missingDependency(defect, context);
  if (words.action.empty())
    words.action = cudaInstallCommand(context, defect.name);
  return words;
}

Words cudaVariantMismatch(const Defect& defect, const FindingContext& context) {
  const std::optional<int> torchs = context.torch.cudaMajor;
  const int needed = recipe::cudaMajorOf(defect.name).value_or(0);
  // A release without CUDA is compatible with any torch.
  FindingContext careful = context;
  careful.torch.cudaMajor = torchs.value_or(0);
  const std::string torch =
      context.torch.version.empty() ? "this torch" : "torch " + context.torch.version;
  Words words{"this " + (context.package.empty() ? "library" : context.package) + " is built for " +
                  cudaText(needed) + ", but " + torch +
                  (!torchs        ? " most likely is not"
                   : *torchs == 0 ? " is built without CUDA"
                                  : " for " + cudaText(*torchs)) +
                  (context.canReplace ? "" : "; build it against this torch"),
              {{"dependency", defect.name}, {"torch", context.torch.version}},
              sameChannelCommand(careful)};
  if (defect.isFromText())
    words.evidence.push_back({"text", *defect.quote});
  return words;
}

} // namespace tcfix::doctor
