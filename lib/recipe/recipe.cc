#include "recipe/recipes.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::recipe {

namespace {

bool hasWheel(llvm::ArrayRef<WheelSpan> spans, Version release, const Machine& machine) {
  const std::optional<Version> python = parseVersion(machine.python);
  const bool isFreeThreaded = llvm::StringRef(machine.python).ends_with("t");
  return spans.empty() || llvm::any_of(spans, [&](const WheelSpan& span) {
           return !(release < span.first) && !(span.last < release) &&
                  (!machine.platform || *machine.platform == span.platform) &&
                  (machine.arch.empty() || machine.arch == span.arch) &&
                  (!python || (!(*python < span.firstPython) && !(span.lastPython < *python) &&
                               isFreeThreaded == span.isFreeThreaded));
         });
}

int cudaOf(llvm::ArrayRef<CudaBuild> builds, Version release, const Machine& machine) {
  // An unknown architecture is most likely x86_64.
  llvm::StringRef arch = machine.arch.empty() ? "x86_64" : llvm::StringRef(machine.arch);
  for (const CudaBuild& build : builds)
    if (!(release < build.first) && !(build.last < release) && arch == build.arch &&
        machine.platform.value_or(Platform::Linux) == Platform::Linux)
      return build.cudaMajor;
  return 0;
}

} // namespace

std::vector<Release> Recipe::releases(const TorchBuild& torch, const Machine& machine) const {
  const std::optional<Version> wanted = parseVersion(torch.version);
  std::vector<Release> found;
  for (const TorchMatch& match : torchMatches)
    for (Version each = match.first; !(match.last < each); ++each.minor)
      if ((!wanted || match.fits(*wanted)) && hasWheel(wheelSpans, each, machine))
        found.push_back({each, cudaOf(cudaBuilds, each, machine)});
  return found;
}

LibraryRole Recipe::roleOf(llvm::StringRef fileName) const {
  LibraryRole role;
  const llvm::StringRef stem = fileName.split('.').first;
  role.isImported = llvm::is_contained(importedStems, stem);
  role.isOptional =
      llvm::any_of(optionalStems, [&](const std::string& each) { return stem.starts_with(each); });
  size_t length = 0;
  for (size_t i = 0; i < ffmpegStems.size(); ++i)
    if (ffmpegStems[i].size() > length && stem.starts_with(ffmpegStems[i])) {
      length = ffmpegStems[i].size();
      role.rank = static_cast<int>(i);
    }
  const llvm::StringRef number = stem.substr(stem.rtrim("0123456789").size());
  if (length == 0 || number.getAsInteger(10, role.major))
    role.major = 0;
  return role;
}

const TorchMatch* Recipe::matchFor(Version release) const {
  for (const TorchMatch& match : torchMatches)
    if (!(release < match.first) && !(match.last < release))
      return &match;
  return nullptr; // newer than the table
}

std::optional<Release> Recipe::releaseFor(const TorchBuild& torch, const Machine& machine) const {
  std::vector<Release> fitting = releases(torch, machine);
  return fitting.empty() ? std::nullopt : std::optional(fitting.back());
}

std::optional<Release> Recipe::releaseWithoutCuda(const TorchBuild& torch,
                                                  const Machine& machine) const {
  const std::vector<Release> fitting = releases(torch, machine);
  for (const Release& release : llvm::reverse(fitting))
    if (release.cudaMajor == 0)
      return release;
  return std::nullopt;
}

std::optional<Release> Recipe::firstReleaseFor(const Machine& machine) const {
  std::vector<Release> fitting = releases({}, machine);
  return fitting.empty() ? std::nullopt : std::optional(fitting.front());
}

int Recipe::highestMajorOf(Version release) const {
  for (const MajorSpan& span : majorSpans)
    if (!(span.last < release))
      return span.highest;
  return majorSpans.empty() ? 0 : majorSpans.back().highest; // newer than the table
}

std::string Recipe::torchRequirement(Version release) const {
  const TorchMatch* match = matchFor(release);
  if (!match)
    return {};
  return match->isOpenEnded ? "torch>=" + match->torch.text()
                            : "torch==" + match->torch.text() + ".*";
}

std::string Recipe::smokeTest(llvm::StringRef version) const {
  if (versionedSmokeTest)
    return versionedSmokeTest(parseVersion(version));
  const std::string& module = importName.empty() ? name : importName;
  return module.empty() || isNamespace ? std::string() : "import " + module;
}

bool Recipe::isDefault() const {
  return name == defaultRecipe().name;
}

const Recipe& defaultRecipe() {
  return torchcodec();
}

Recipe recipeFor(llvm::StringRef package) {
  for (const Recipe* known : {&torchcodec(), &torchaudio()})
    if (package.equals_insensitive(known->name))
      return *known;
  Recipe generic;
  generic.name = package.str();
  generic.isJudgedByModules = true;
  addKnownParts(generic);
  return generic;
}

} // namespace tcfix::recipe
