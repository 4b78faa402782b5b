#include "resolve/windows_search.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace tcfix::resolve {

namespace {

// Variable names are case-insensitive.
std::optional<llvm::StringRef> findVariable(const Process& process, llvm::StringRef name) {
  for (const auto& [known, value] : process.options.environment)
    if (name.equals_insensitive(known))
      return llvm::StringRef(value);
  return std::nullopt;
}

/// ExpandEnvironmentStrings: a variable that is not set is left unchanged.
std::string expandVariables(const Process& process, llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    size_t end = text.front() == '%' ? text.find('%', 1) : llvm::StringRef::npos;
    std::optional<llvm::StringRef> value;
    if (end != llvm::StringRef::npos)
      value = findVariable(process, text.slice(1, end));
    if (value) {
      result += value->str();
      text = text.drop_front(end + 1);
    } else {
      result += text.front();
      text = text.drop_front();
    }
  }
  return result;
}

void addTarget(const Process& process, WindowsSearch& search, llvm::StringRef target,
               const FoundBy& how) {
  if (std::optional<std::string> host = process.disk().hostPath(target))
    search.push_back({*host, how});
}

FoundBy rule(const char* name) {
  return {FoundBy::Kind::PlatformRule, name};
}

std::string applicationFolder(const Process& process) {
  return llvm::sys::path::parent_path(process.options.executable).str();
}

} // namespace

std::optional<std::string> system32(const Process& process) {
  std::string target =
      findVariable(process, "SystemRoot").value_or("C:\\Windows").str() + "\\System32";
  std::optional<std::string> host = process.disk().hostPath(target);
  return host && process.disk().isFolder(*host) ? host : std::nullopt;
}

WindowsSearch modernSearch(const Process& process, llvm::StringRef ownFolder) {
  WindowsSearch search;
  if (!ownFolder.empty())
    search.push_back({ownFolder.str(), rule("the DLL's own folder")});
  if (!process.options.executable.empty())
    search.push_back({applicationFolder(process), rule("the program's folder")});
  for (const std::string& folder : process.options.dllFolders)
    search.push_back({folder, rule("AddDllDirectory")});
  if (std::optional<std::string> folder = system32(process))
    search.push_back({*folder, rule("System32")});
  return search;
}

WindowsSearch classicSearch(const Process& process, llvm::StringRef ownFolder) {
  WindowsSearch search;
  if (!ownFolder.empty())
    search.push_back({ownFolder.str(), rule("the DLL's own folder")});
  else if (!process.options.executable.empty())
    search.push_back({applicationFolder(process), rule("the program's folder")});
  if (std::optional<std::string> folder = system32(process)) {
    search.push_back({*folder, rule("System32")});
    search.push_back({llvm::sys::path::parent_path(*folder).str(), rule("the Windows folder")});
  }
  llvm::SmallVector<llvm::StringRef> folders;
  llvm::StringRef path = findVariable(process, "PATH").value_or(llvm::StringRef());
  llvm::SplitString(path, folders, ";");
  for (llvm::StringRef folder : folders)
    addTarget(process, search, expandVariables(process, folder.trim('"')),
              {FoundBy::Kind::Variable, {}, "PATH"});
  return search;
}

WindowsEntry entryOf(const Process& process, llvm::StringRef entry, llvm::StringRef ownFolder) {
  WindowsEntry result;
  std::string expanded = expandVariables(process, entry);
  llvm::StringRef rest = expanded;
  bool isOwn = rest.consume_front("$ORIGIN") || rest.consume_front("@loader_path");
  if (isOwn && (rest.empty() || rest.front() == '\\' || rest.front() == '/')) {
    result.folder = ownFolder.str();
    result.rest = rest.str();
    std::replace(result.rest.begin(), result.rest.end(), '\\', '/');
    return result;
  }
  std::replace(expanded.begin(), expanded.end(), '/', '\\');
  llvm::StringRef path = expanded;
  bool isDrive = path.size() >= 3 && llvm::isAlpha(path[0]) && path[1] == ':' && path[2] == '\\';
  if (!isDrive && !path.starts_with("\\\\"))
    return result; // not an absolute path, such as a variable that is not set
  result.folder = process.disk().hostPath(path);
  result.isUnknown = !result.folder;
  return result;
}

} // namespace tcfix::resolve
