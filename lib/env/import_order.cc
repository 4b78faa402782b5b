#include "env/import_order.h"

#include "base/paths.h"
#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace tcfix::env {

namespace {

/// A chain of imports that is longer than this is not followed to its end.
constexpr size_t kDeepestImport = 100;

/// Whether the end of a file name, after the module's name, is that of an extension module.
bool isExtensionEnding(llvm::StringRef ending, Platform platform) {
  if (platform == Platform::Windows)
    return ending.ends_with_insensitive(".pyd");
  if (!ending.consume_back(".so"))
    return false;
  return ending.empty() || (ending.consume_front(".") && isModuleTag(ending));
}

bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char letter) { return llvm::isAlnum(letter) || letter == '_'; });
}

} // namespace

/// One import, from an interpreter that has imported nothing.
class ImportReader::Import {
public:
  Import(ImportReader& reader, std::string target, std::string top)
      : reader(reader), target(std::move(target)), top(std::move(top)) {}

  void run(llvm::StringRef module) { import(module, 0); }

  ImportOrder order;

private:
  struct Found {
    std::string file; ///< empty: a namespace package
    bool isExtension = false;
    std::vector<std::string> folders; ///< of its submodules
  };

  /// Imports each package in the name, then the module. False if one does not exist.
  bool import(llvm::StringRef name, size_t depth) {
    for (size_t end = 0; end != llvm::StringRef::npos && !isReached;) {
      end = name.find('.', end + 1);
      const std::string part = name.take_front(end).str();
      if (started.count(part))
        continue;
      const std::optional<Found> found = locate(part);
      if (!found || depth == kDeepestImport)
        return false;
      started[part] = found->folders;
      if (found->isExtension)
        load(found->file);
      else if (!found->file.empty())
        execute(found->file, part, !found->folders.empty(), depth);
    }
    return true;
  }

  void load(const std::string& file) {
    isReached |= file == target;
    if (!isReached)
      order.modules.push_back(file);
  }

  void execute(const std::string& file, llvm::StringRef name, bool isPackage, size_t depth) {
    const PythonSource& source = reader.source(file);
    if (name.split('.').first == top)
      order.loadingCode += source.loadingCode;
    const llvm::StringRef package = isPackage ? name : name.rsplit('.').first;
    for (const ImportStatement& statement : source.imports) {
      if (isReached)
        return;
      const std::string module = absolute(statement, package);
      if (module.empty() || !import(module, depth + 1))
        continue;
      for (const std::string& each : statement.names)
        if (!isReached)
          import(module + "." + each, depth + 1);
    }
  }

  static std::string absolute(const ImportStatement& statement, llvm::StringRef package) {
    if (statement.level == 0)
      return statement.module;
    for (size_t i = 1; i < statement.level; ++i)
      package = package.contains('.') ? package.rsplit('.').first : llvm::StringRef();
    if (package.empty() || statement.module.empty())
      return package.str();
    return (package + "." + statement.module).str();
  }

  std::optional<Found> locate(llvm::StringRef name) const {
    const auto [parent, last] =
        name.contains('.') ? name.rsplit('.') : std::pair(llvm::StringRef(), name);
    auto known = started.find(parent.str());
    if (!parent.empty() && known == started.end())
      return std::nullopt;
    Found space;
    for (const std::string& folder : parent.empty() ? reader.sites : known->second) {
      const std::vector<std::string>& names = reader.names(folder);
      const std::string prefix = last.str() + ".";
      const std::string inner = joined(folder, last);
      const bool isFolder = std::binary_search(names.begin(), names.end(), last.str());
      if (isFolder) {
        const std::vector<std::string>& content = reader.names(inner);
        if (std::binary_search(content.begin(), content.end(), "__init__.py"))
          return Found{joined(inner, "__init__.py"), false, {inner}};
      }
      std::string source;
      for (auto at = std::lower_bound(names.begin(), names.end(), prefix);
           at != names.end() && llvm::StringRef(*at).starts_with(prefix); ++at) {
        if (isExtensionEnding(llvm::StringRef(*at).drop_front(last.size()), reader.platform))
          return Found{joined(folder, *at), true, {}};
        if (*at == prefix + "py")
          source = joined(folder, *at);
      }
      if (!source.empty())
        return Found{source, false, {}};
      if (isFolder)
        space.folders.push_back(inner);
    }
    return space.folders.empty() ? std::nullopt : std::optional(std::move(space));
  }

  ImportReader& reader;
  const std::string target; ///< the file at which the import ends
  const std::string top;    ///< the first part of its name
  /// The modules that were imported or are about to be, with the directories of their submodules.
  std::map<std::string, std::vector<std::string>> started;
  bool isReached = false;
};

bool isModuleTag(llvm::StringRef tag) {
  return tag.starts_with("cpython-") || tag.starts_with("abi3") || tag.starts_with("pypy") ||
         tag.starts_with("graalpy");
}

std::string moduleIn(const std::string& file, llvm::ArrayRef<std::string> sites) {
  for (const std::string& site : sites) {
    if (!isWithin(file, site))
      continue;
    const std::string relative = relativePath(site, file);
    llvm::SmallVector<llvm::StringRef, 8> parts;
    llvm::StringRef(relative).split(parts, '/');
    parts.back() = parts.back().split('.').first;
    if (llvm::all_of(parts, isIdentifier))
      return llvm::join(parts, ".");
  }
  return {};
}

std::optional<ImportOrder> ImportReader::before(const std::string& module) {
  const std::string name = moduleIn(module, sites);
  if (name.empty())
    return std::nullopt;
  std::lock_guard lock(mutex);
  Import import(*this, module, llvm::StringRef(name).split('.').first.str());
  import.run(name);
  return std::move(import.order);
}

const PythonSource& ImportReader::source(const std::string& file) {
  const auto [at, isNew] = sources.try_emplace(file);
  if (isNew)
    if (std::optional<io::InputFile> input = llvm::expectedToOptional(disk.openText(file)))
      at->second = readPythonSource(textOf(input->bytes()), platform);
  return at->second;
}

const std::vector<std::string>& ImportReader::names(const std::string& folder) {
  const auto [at, isNew] = listings.try_emplace(folder);
  if (isNew)
    at->second = disk.list(folder);
  return at->second;
}

} // namespace tcfix::env
