// torch: whether it is installed and loads, and whether the package was built for its version.
#include "providers/torch.h"
#include "doctor/rules.h"
#include "recipe/torch_symbols.h"

namespace tcfix::doctor {

using Kind = Defect::Kind;
using recipe::TorchMatch;

namespace {

bool needsTorch(const ExaminedPackage& package) {
  return package.recipe().importsTorch ||
         llvm::any_of(package.facts.libraries, [](const survey::LibraryFacts& library) {
           return library.isNeeded &&
                  llvm::any_of(library.original.dependencies, [](const Dependency& dependency) {
                    return providers::isTorchLibrary(dependency.name);
                  });
         });
}

// `import torch` comes before everything else.
void findBrokenTorch(const ExaminedPackage& package, Defects& defects) {
  for (const std::string& path : package.facts.torchLibraries()) {
    if (package.loads || !package.facts.isAfterTorch ||
        !llvm::StringRef(path).contains("torch_python"))
      continue;
    resolve::Session session(package.store, package.facts.process);
    resolve::LoadResult result = session.load(path);
    if (result.verdict != resolve::Verdict::Fails)
      continue;
    Defect defect{Kind::TorchBroken, path, result.problems.front().dependency};
    defect.sentence = result.problems.front().message;
    defects.push_back(std::move(defect));
  }
}

} // namespace

std::optional<Defect> vendorOfTorch(llvm::StringRef version) {
  const std::string vendor = recipe::torchBuildOf(version).vendor;
  return vendor.empty() ? std::nullopt : std::optional(Defect{Kind::VendorTorch, {}, vendor});
}

// Matching symbols do not prove that two versions are compatible: see the recipe's table.
std::optional<Defect> versionMismatch(const recipe::Recipe& recipe, llvm::StringRef release,
                                      llvm::StringRef torchVersion) {
  std::optional<Version> parsed = parseVersion(release), torch = parseVersion(torchVersion);
  const TorchMatch* match = parsed ? recipe.matchFor(*parsed) : nullptr;
  if (!torch || !match || match->fits(*torch))
    return std::nullopt;
  return Defect{Kind::TorchVersionMismatch,
                {},
                release.str(),
                match->torch.text() + (match->isOpenEnded ? " or later" : "")};
}

std::optional<Defect> versionMismatch(const recipe::Recipe& recipe, const recipe::MajorSpan& span,
                                      llvm::StringRef torchVersion) {
  std::optional<Version> torch = parseVersion(torchVersion);
  bool canFit = llvm::any_of(recipe.torchMatches, [&](const TorchMatch& match) {
    return !(match.last < span.first) && !(span.last < match.first) && torch && match.fits(*torch);
  });
  if (!torch || canFit || !recipe.matchFor(span.last))
    return std::nullopt;
  return Defect{Kind::TorchVersionMismatch, {}, span.first.text() + " to " + span.last.text()};
}

void findTorchDefects(const ExaminedPackage& package, Defects& defects) {
  const survey::PackageFacts& facts = package.facts;
  if (!facts.package.version.empty() && facts.package.version == package.recipe().placeholder) {
    defects.push_back({Kind::PlaceholderRelease, facts.package.distInfo, facts.package.version});
    return; // nothing in it can need torch
  }
  if (facts.package.name == "torch" || !needsTorch(package))
    return;
  if (!facts.torch) {
    defects.push_back({Kind::TorchMissing, facts.package.site});
    return;
  }
  findBrokenTorch(package, defects);
  if (package.recipe().torchMatches.empty())
    return;
  auto add = [&](std::optional<Defect> defect, const std::string& path) {
    if (!defect)
      return;
    defect->isCause = !package.loads;
    defect->path = path;
    defects.push_back(std::move(*defect));
  };
  add(vendorOfTorch(facts.torch->version), facts.torch->libFolder);
  add(versionMismatch(package.recipe(), facts.package.version, facts.torch->version),
      facts.package.site);
}

} // namespace tcfix::doctor
