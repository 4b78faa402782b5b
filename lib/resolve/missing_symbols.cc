#include "resolve/missing_symbols.h"

#include "formats/formats.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace tcfix::resolve {

namespace {

// The folders in the order in which the helper inside a converted DLL tries them.
std::vector<std::string> foldersFor(llvm::StringRef ownFolder, const Slice& slice) {
  std::vector<std::string> folders;
  for (llvm::StringRef path : slice.searchPaths) {
    if (!path.consume_front("$ORIGIN") && !path.consume_front("@loader_path"))
      continue;
    std::string rest = path.str();
    std::replace(rest.begin(), rest.end(), '\\', '/');
    llvm::SmallString<256> folder(ownFolder);
    llvm::sys::path::append(folder, rest);
    llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
    folders.push_back(folder.str().str());
  }
  folders.push_back(ownFolder.str());
  return folders;
}

std::string findProvider(llvm::ArrayRef<std::string> folders, llvm::StringRef name) {
  for (const std::string& folder : folders)
    if (std::string path = io::findIgnoringCase(folder, name); !path.empty())
      return path;
  return {};
}

} // namespace

std::vector<MissingSymbols> findMissingSymbols(const io::InputFile& file, const Image& image) {
  std::vector<MissingSymbols> result;
  if (image.format != Format::Pe)
    return result;
  const Slice& slice = image.slices.front();
  const std::vector<std::string> folders =
      foldersFor(llvm::sys::path::parent_path(file.path()), slice);
  for (const Dependency& dependency : slice.dependencies) {
    const std::string path = findProvider(folders, dependency.name);
    if (path.empty())
      continue;
    llvm::Expected<io::InputFile> provider = io::InputFile::open(path);
    if (!provider) {
      llvm::consumeError(provider.takeError());
      continue;
    }
    llvm::Expected<std::vector<std::string>> symbols =
        formats::findMissingSymbols(file.bytes(), dependency.name, provider->bytes());
    if (!symbols)
      llvm::consumeError(symbols.takeError());
    else if (!symbols->empty())
      result.push_back({dependency.name, path, std::move(*symbols)});
  }
  return result;
}

} // namespace tcfix::resolve
