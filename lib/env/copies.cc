#include "env/copies.h"

#include "base/paths.h"
#include "env/distribution.h"
#include "env/library_files.h"
#include "env/prefix.h"

#include <llvm/Support/Path.h>

#include <deque>

namespace tcfix::env {

namespace path = llvm::sys::path;

namespace {

/// Enough for a project directory; takes a few tenths of a second in a home directory.
constexpr size_t kMaxDirectories = 10'000;

/// Large directories that contain no environments of the user; the last one is uv's wheel cache.
constexpr llvm::StringLiteral kSkipped[] = {".git", "__pycache__", "node_modules", "archive-v0"};

enum class Content { Other, Venv, Conda, Site };

Content contentOf(const std::string& folder, llvm::ArrayRef<io::DirectoryEntry> entries) {
  if (isSiteName(path::filename(folder)))
    return Content::Site;
  for (const io::DirectoryEntry& each : entries) {
    if (each.name == "pyvenv.cfg")
      return Content::Venv;
    if (each.isDirectory() && each.name == "conda-meta")
      return Content::Conda;
    if (each.isDirectory() && llvm::StringRef(each.name).ends_with(".dist-info"))
      return Content::Site;
  }
  return Content::Other;
}

} // namespace

FoundBelow searchBelow(const std::string& start, const io::TargetDisk& disk, IsCopy isCopy) {
  FoundBelow found;
  auto addEnvironment = [&](const std::string& each) {
    if (!llvm::is_contained(found.environments, each))
      found.environments.push_back(each);
  };
  std::deque<std::string> folders = {start};
  for (size_t seen = 0; !folders.empty(); ++seen) {
    if (seen == kMaxDirectories) {
      found.isComplete = false;
      break;
    }
    const std::string folder = std::move(folders.front());
    folders.pop_front();
    const std::vector<io::DirectoryEntry> entries = disk.entries(folder);
    const Content content = seen == 0 ? Content::Other : contentOf(folder, entries);
    if (content == Content::Site)
      addEnvironment(prefixAround(folder).value_or(folder));
    else if (content != Content::Other)
      addEnvironment(folder);
    else if (isCopy(folder, entries))
      found.copies.push_back(folder);
    else
      for (const io::DirectoryEntry& each : entries)
        if (each.isDirectory() && !llvm::is_contained(kSkipped, each.name))
          folders.push_back(joined(folder, each.name));
    // conda keeps its named environments inside the base environment.
    if (content == Content::Conda && disk.isFolder(joined(folder, "envs")))
      folders.push_back(joined(folder, "envs"));
  }
  return found;
}

std::optional<Package> findCopy(const std::string& folder,
                                llvm::ArrayRef<io::DirectoryEntry> entries,
                                const io::TargetDisk& disk, const recipe::Recipe& recipe) {
  const bool isOwnFolder = normalizedName(path::filename(folder)) == normalizedName(recipe.name);
  const std::string module = moduleName(recipe.name);
  auto isSign = [&](const io::DirectoryEntry& each) {
    const llvm::StringRef name = each.name;
    if (each.isDirectory())
      return false;
    if (!recipe.libraryPrefix.empty())
      return name.starts_with(recipe.libraryPrefix) && isLibraryName(name);
    if (!isOwnFolder && !name.starts_with(module + "."))
      return false;
    return isLibraryName(name) || (isOwnFolder && name == "__init__.py");
  };
  if (llvm::none_of(entries, isSign))
    return std::nullopt;
  Package package;
  package.recipe = recipe;
  package.name = recipe.name;
  package.home = folder;
  package.site = isOwnFolder ? path::parent_path(folder).str() : folder;
  const std::string own = isOwnFolder ? path::filename(folder).str() : module;
  LibraryCollector collector(recipe, disk, package, own);
  if (isOwnFolder)
    collector.addPresent(/*isDeep=*/recipe.libraryPrefix.empty());
  else if (!recipe.libraryPrefix.empty())
    for (const std::string& part : {folder, joined(folder, ".dylibs")})
      collector.addBelow(part, 0);
  else
    collector.addPresent(/*isDeep=*/false); // a single-file module
  collector.finish();
  if (package.libraries.empty())
    return std::nullopt;
  return package;
}

} // namespace tcfix::env
