#include "resolve/missing_symbols.h"

#include "formats/formats.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace tcfix::resolve {

namespace {

// The folders, in the order in which the helper inside a converted DLL tries them.
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

/// Null if they cannot be read.
std::unique_ptr<SymbolTable> symbolsIn(Bytes bytes) {
  return llvm::expectedToOptional(formats::openSymbols(bytes, {})).value_or(nullptr);
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
  std::unique_ptr<SymbolTable> importer = symbolsIn(file.bytes());
  if (!importer)
    return result;
  std::optional<std::vector<NeededSymbol>> needed = llvm::expectedToOptional(importer->needed());
  if (!needed)
    return result;
  const std::vector<std::string> folders =
      foldersFor(llvm::sys::path::parent_path(file.path()), slice);
  for (size_t i = 0; i < slice.dependencies.size(); ++i) {
    const std::string path = findProvider(folders, slice.dependencies[i].name);
    if (path.empty())
      continue;
    std::optional<io::InputFile> opened = llvm::expectedToOptional(io::InputFile::open(path));
    if (!opened)
      continue;
    std::unique_ptr<SymbolTable> provider = symbolsIn(opened->bytes());
    if (!provider)
      continue;
    std::vector<std::string> missing;
    for (const NeededSymbol& symbol : *needed)
      if (symbol.dependency == i && provider->find(symbol).kind == SymbolLookup::Kind::Absent)
        missing.push_back(symbol.text());
    if (!missing.empty())
      result.push_back({slice.dependencies[i].name, path, std::move(missing)});
  }
  return result;
}

} // namespace tcfix::resolve
