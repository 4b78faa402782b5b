#include "pe/search_path.h"

#include "base/error.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/ConvertUTF.h>

namespace tcfix::pe {

namespace {

bool isSeparator(char character) {
  return character == '\\' || character == '/';
}

bool startsWithFolder(llvm::StringRef path, llvm::StringRef word) {
  return path.consume_front(word) && (path.empty() || isSeparator(path[0]));
}

} // namespace

llvm::Error checkSearchPath(llvm::StringRef path) {
  llvm::SmallVector<llvm::UTF16, 128> units;
  // The helper has room for 32,767 characters, the length of the longest path on Windows.
  if (path.contains('\0') || path.size() > 32000 || !llvm::convertUTF8ToUTF16String(path, units))
    return fail(ErrorCode::Unsupported,
                "a search path must be valid UTF-8 and at most 32,000 bytes long");
  const bool isOrigin = startsWithFolder(path, "$ORIGIN") || startsWithFolder(path, "@loader_path");
  const bool isDrive =
      path.size() >= 3 && llvm::isAlpha(path[0]) && path[1] == ':' && isSeparator(path[2]);
  const bool isShare = path.size() >= 3 && isSeparator(path[0]) && isSeparator(path[1]);
  const size_t variableEnd = path.starts_with("%") ? path.find('%', 1) : llvm::StringRef::npos;
  const bool isVariable = variableEnd != llvm::StringRef::npos && variableEnd > 1;
  if (isOrigin || isDrive || isShare || isVariable)
    return llvm::Error::success();
  return fail(ErrorCode::Unsupported,
              ("the search path " + path + " is relative to the current folder").str(),
              "start it with $ORIGIN, @loader_path, a drive, \\\\server\\share or %VARIABLE%");
}

} // namespace tcfix::pe
