#include "base/version.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix {

std::optional<Version> parseVersion(llvm::StringRef text) {
  Version version;
  auto [first, rest] = text.split('.');
  llvm::StringRef second = rest.take_while(llvm::isDigit);
  if (first.getAsInteger(10, version.major) || second.getAsInteger(10, version.minor))
    return std::nullopt;
  return version;
}

} // namespace tcfix
