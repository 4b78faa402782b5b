#include "recipe/recipe.h"

#include "recipe/recipes.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::recipe {

LibraryRole Recipe::roleOf(llvm::StringRef fileName) const {
  LibraryRole role;
  llvm::StringRef stem = fileName.split('.').first;
  if (!hasFfmpegMajors || !stem.consume_front(libraryPrefix))
    return role;
  llvm::StringRef part = stem.rtrim("0123456789");
  if (stem.drop_front(part.size()).getAsInteger(10, role.major))
    role.major = 0;
  part.consume_front("_");
  auto known = llvm::find(loadOrder, part);
  role.rank = known == loadOrder.end() ? 0 : static_cast<int>(known - loadOrder.begin());
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
  if (name == torchcodec().name)
    return torchcodecSmokeTest(version);
  return "import " + importName;
}

const Recipe& defaultRecipe() {
  return torchcodec();
}

Recipe recipeFor(llvm::StringRef package) {
  if (package.equals_insensitive(torchcodec().name))
    return torchcodec();
  Recipe generic;
  generic.name = package.str();
  generic.importName = package.str();
  return generic;
}

} // namespace tcfix::recipe
