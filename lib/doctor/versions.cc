// Which torchcodec was built for which torch. Symbols alone do not prove that two go together: 0.7
// finds all of its symbols in torch 2.9 and crashes there.
#include "doctor/rules.h"
#include "recipe/recipe.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

using recipe::TorchMatch;

namespace {

const TorchMatch* matchFor(Version codec) {
  for (const TorchMatch& match : recipe::defaultRecipe().torchMatches)
    if (!(codec < match.first) && !(match.last < codec))
      return &match;
  return nullptr; // newer than this table
}

bool fits(const TorchMatch& match, Version torch) {
  return torch == match.torch || (match.isOpenEnded && match.torch < torch);
}

// Builds that were not made by PyTorch's own pipelines, or for another accelerator.
std::string vendorOf(llvm::StringRef version) {
  llvm::StringRef local = version.split('+').second;
  if (local.starts_with("rocm"))
    return "ROCm";
  if (local.starts_with("xpu"))
    return "Intel XPU";
  if (local.starts_with("nv") || version.contains(".nv") || version.contains("nv2"))
    return "NVIDIA (Jetson or NGC)";
  if (local.starts_with("git") || version.contains("a0"))
    return "a build from source";
  return {};
}

bool needsTorch(const Case& facts) {
  return facts.facts.package.name == "torchcodec" ||
         llvm::any_of(facts.facts.libraries, [](const survey::LibraryFacts& library) {
           return llvm::any_of(library.original.dependencies, [](const Dependency& dependency) {
             return isTorchLibrary(dependency.name);
           });
         });
}

// `import torch` comes before everything else.
void findBrokenTorch(const Case& facts, Findings& findings) {
  for (const std::string& name : facts.facts.torchNames) {
    if (facts.loads || !llvm::StringRef(name).contains("torch_python"))
      continue;
    const std::string path = facts.facts.torch->libFolder + "/" + name;
    resolve::Session session(facts.store, facts.facts.process);
    resolve::LoadResult result = session.load(path);
    if (result.verdict == resolve::Verdict::Fails)
      findings.push_back({"torch-broken",
                          Severity::Error,
                          "torch itself does not load: " + result.problems.front().message,
                          path,
                          {{"dependency", result.problems.front().dependency}},
                          reinstallCommand("torch")});
  }
}

} // namespace

std::optional<std::string> torchcodecFor(llvm::StringRef torchVersion) {
  std::optional<Version> torch = parseVersion(torchVersion);
  std::optional<std::string> best;
  if (torch)
    for (const TorchMatch& match : recipe::defaultRecipe().torchMatches)
      if (fits(match, *torch))
        best = match.last.text() + ".*";
  return best;
}

std::string fittingTorchcodecCommand(llvm::StringRef torchVersion) {
  std::optional<std::string> fitting = torchcodecFor(torchVersion);
  return fitting ? "pip install \"torchcodec==" + *fitting + "\""
                 : "pip install --upgrade torch torchcodec";
}

std::optional<Finding> vendorTorch(const Scene& scene) {
  const std::string vendor = vendorOf(scene.torch);
  if (vendor.empty())
    return std::nullopt;
  return Finding{"vendor-torch",
                 Severity::Error,
                 "torch " + scene.torch + " is " + vendor +
                     ": torchcodec's own wheels are built for PyTorch's; build torchcodec "
                     "against this torch, then bring its libraries in",
                 {},
                 {{"torch", scene.torch}},
                 scene.applyCommand + " --replace-from BUILD_FOLDER"};
}

std::optional<Finding> versionMismatch(llvm::StringRef codecVersion, llvm::StringRef torchVersion) {
  std::optional<Version> codec = parseVersion(codecVersion), torch = parseVersion(torchVersion);
  const TorchMatch* match = codec ? matchFor(*codec) : nullptr;
  if (!torch || !match || fits(*match, *torch))
    return std::nullopt;
  return Finding{"torch-version-mismatch",
                 Severity::Error,
                 "torchcodec " + codecVersion.str() + " is built for torch " + match->torch.text() +
                     (match->isOpenEnded ? " or later" : "") + "; this is torch " +
                     torchVersion.str(),
                 {},
                 {{"torchcodec", codecVersion.str()}, {"torch", torchVersion.str()}},
                 fittingTorchcodecCommand(torchVersion)};
}

std::optional<Finding> versionMismatch(Version firstCodec, Version lastCodec,
                                       llvm::StringRef torchVersion) {
  std::optional<Version> torch = parseVersion(torchVersion);
  bool canFit = llvm::any_of(recipe::defaultRecipe().torchMatches, [&](const TorchMatch& match) {
    return !(match.last < firstCodec) && !(lastCodec < match.first) && torch && fits(match, *torch);
  });
  if (!torch || canFit || !(*torch < recipe::defaultRecipe().torchMatches.back().torch))
    return std::nullopt;
  const std::string versions = firstCodec.text() + " to " + lastCodec.text();
  return Finding{"torch-version-mismatch",
                 Severity::Error,
                 "this torchcodec is one of " + versions +
                     ", and none of them is built for torch " + torchVersion.str(),
                 {},
                 {{"torchcodec", versions}, {"torch", torchVersion.str()}},
                 fittingTorchcodecCommand(torchVersion)};
}

void findVersionMismatch(const Case& facts, Findings& findings) {
  const survey::PackageFacts& known = facts.facts;
  if (known.package.name == "torch" || !needsTorch(facts))
    return;
  if (!known.torch) {
    findings.push_back({"torch-missing",
                        Severity::Error,
                        "there is no torch in this environment",
                        known.package.site,
                        {},
                        "pip install torch"});
    return;
  }
  findBrokenTorch(facts, findings);
  if (known.package.name != "torchcodec")
    return;
  auto tell = [&](std::optional<Finding> finding, const std::string& path) {
    if (!finding)
      return;
    finding->severity = facts.loads ? Severity::Warning : Severity::Error;
    finding->path = path;
    findings.push_back(std::move(*finding));
  };
  tell(vendorTorch(facts.scene()), known.torch->libFolder);
  tell(versionMismatch(known.package.version, known.torch->version), known.package.site);
}

} // namespace tcfix::doctor
