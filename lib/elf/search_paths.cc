#include "elf/search_paths.h"

#include "base/error.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::elf {

namespace {

/// The entry with its tokens written without braces, if that is equivalent (ld.so(8), "Dynamic
/// string tokens").
std::string plainSpelling(llvm::StringRef path) {
  std::string plain;
  while (!path.empty()) {
    bool isToken = false;
    for (llvm::StringRef token : {"ORIGIN", "LIB", "PLATFORM"}) {
      std::string braced = ("${" + token + "}").str();
      llvm::StringRef rest = path;
      if (!rest.consume_front(braced) || (!rest.empty() && rest.front() != '/'))
        continue;
      plain += ("$" + token).str();
      path = rest;
      isToken = true;
      break;
    }
    if (!isToken) {
      plain += path.front();
      path = path.drop_front();
    }
  }
  return plain;
}

llvm::Error checkEntry(const std::string& path) {
  if (path.empty())
    return fail(ErrorCode::Usage, "a search path must not be empty");
  if (path.find(':') != std::string::npos)
    return fail(ErrorCode::Usage,
                "the search path " + path + " contains a colon, which separates entries",
                "pass each entry with its own option");
  if (path.find('\0') != std::string::npos)
    return fail(ErrorCode::Usage, "a search path must not contain a zero byte");
  return llvm::Error::success();
}

} // namespace

std::vector<std::string> splitSearchPath(llvm::StringRef text) {
  std::vector<std::string> paths;
  if (text.empty())
    return paths;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ':');
  for (llvm::StringRef part : parts)
    paths.push_back(part.str());
  return paths;
}

std::string joinSearchPath(llvm::ArrayRef<std::string> paths) {
  return llvm::join(paths, ":");
}

llvm::Expected<std::vector<SearchPathEdit>> spellLike(llvm::ArrayRef<std::string> current,
                                                      llvm::ArrayRef<SearchPathEdit> edits) {
  std::vector<std::string> known = current;
  auto respell = [&](std::string& path) -> llvm::Error {
    if (llvm::Error error = checkEntry(path))
      return error;
    for (const std::string& other : known)
      if (plainSpelling(other) == plainSpelling(path)) {
        path = other;
        return llvm::Error::success();
      }
    known.push_back(path);
    return llvm::Error::success();
  };
  struct PathsOf {
    std::vector<std::string*> operator()(AddSearchPath& edit) { return {&edit.path}; }
    std::vector<std::string*> operator()(RemoveSearchPath& edit) { return {&edit.path}; }
    std::vector<std::string*> operator()(ReplaceSearchPath& edit) { return {&edit.from, &edit.to}; }
  };
  std::vector<SearchPathEdit> spelled = edits;
  for (SearchPathEdit& edit : spelled)
    for (std::string* path : std::visit(PathsOf(), edit))
      if (llvm::Error error = respell(*path))
        return error;
  return spelled;
}

} // namespace tcfix::elf
