#include "base/paths.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace tcfix {

namespace path = llvm::sys::path;

std::string joined(llvm::StringRef directory, llvm::StringRef name) {
  llvm::SmallString<256> text(directory);
  path::append(text, name);
  if (path::is_separator('\\'))
    path::native(text);
  return text.str().str();
}

std::string slashed(llvm::StringRef path) {
  return path::convert_to_slash(path);
}

bool isWithin(llvm::StringRef inner, llvm::StringRef directory) {
  auto isSame = [](char a, char b) { // Windows has two separators
    return a == b || (path::is_separator(a) && path::is_separator(b));
  };
  if (inner.size() < directory.size() ||
      !std::equal(directory.begin(), directory.end(), inner.begin(), isSame))
    return false;
  inner = inner.drop_front(directory.size());
  // Only a root, such as "/", ends with a separator.
  bool isRoot = !directory.empty() && path::is_separator(directory.back());
  return isRoot || inner.empty() || path::is_separator(inner.front());
}

std::string relativePath(llvm::StringRef from, llvm::StringRef to) {
  auto a = path::begin(from), b = path::begin(to);
  while (a != path::end(from) && b != path::end(to) && *a == *b)
    ++a, ++b;
  std::string result;
  for (; a != path::end(from); ++a)
    result += "../";
  for (; b != path::end(to); ++b)
    result += b->str() + "/";
  if (!result.empty())
    result.pop_back();
  return result;
}

} // namespace tcfix
