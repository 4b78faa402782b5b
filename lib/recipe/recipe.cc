#include "recipe/recipes.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::recipe {

LibraryRole Recipe::roleOf(llvm::StringRef fileName) const {
  LibraryRole role;
  const llvm::StringRef stem = fileName.split('.').first;
  role.isImported = llvm::is_contained(importedStems, stem);
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

std::optional<std::string> Recipe::releaseFor(llvm::StringRef torchVersion) const {
  std::optional<Version> torch = parseVersion(torchVersion);
  std::optional<std::string> newest;
  for (const TorchMatch& match : torchMatches)
    if (torch && match.fits(*torch))
      newest = match.last.text() + ".*";
  return newest;
}

std::string Recipe::smokeTest(llvm::StringRef version) const {
  if (versionedSmokeTest)
    return versionedSmokeTest(parseVersion(version));
  const std::string& module = importName.empty() ? name : importName;
  return module.empty() ? module : "import " + module;
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
  return generic;
}

} // namespace tcfix::recipe
