#include "base/version.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <vector>

namespace tcfix {

namespace {

/// PEP 440's normalized spelling of a pre- or post-release word.
std::string normalizedWord(llvm::StringRef word) {
  return llvm::StringSwitch<std::string>(word)
      .Case("alpha", "a")
      .Case("beta", "b")
      .Case("c", "rc")
      .Case("pre", "rc")
      .Case("preview", "rc")
      .Case("r", "post")
      .Case("rev", "post")
      .Default(word.str());
}

/// A version's numbers and words, normalized as in PEP 440. Separators are dropped: file names do
/// not distinguish "+" from "-".
std::vector<std::string> piecesOf(llvm::StringRef version) {
  std::vector<std::string> pieces;
  const std::string lower = version.trim().lower();
  llvm::StringRef rest = lower;
  rest.consume_front("v");
  while (!rest.empty()) {
    bool isNumber = llvm::isDigit(rest.front());
    llvm::StringRef piece = rest.take_while(isNumber ? llvm::isDigit : llvm::isAlpha);
    rest = rest.drop_front(std::max<size_t>(piece.size(), 1));
    if (piece.empty())
      continue;
    if (!isNumber) {
      // 1.0 is 1.0.0, and 1.0.0rc1 is 1rc1.
      if (llvm::none_of(pieces, [](llvm::StringRef one) { return llvm::isAlpha(one.front()); }))
        while (!pieces.empty() && pieces.back() == "0")
          pieces.pop_back();
      pieces.push_back(normalizedWord(piece));
    } else {
      piece = piece.ltrim('0');
      pieces.push_back(piece.empty() ? "0" : piece.str());
    }
  }
  while (!pieces.empty() && pieces.back() == "0") // 1.0rc is 1.0rc0
    pieces.pop_back();
  return pieces;
}

} // namespace

std::optional<Version> parseVersion(llvm::StringRef text, char separator) {
  Version version;
  auto [first, rest] = text.split(separator);
  llvm::StringRef second = rest.take_while(llvm::isDigit);
  if (first.getAsInteger(10, version.major) || second.getAsInteger(10, version.minor))
    return std::nullopt;
  return version;
}

bool isOlder(llvm::StringRef version, llvm::StringRef other) {
  while (!version.empty() && !other.empty()) {
    auto [left, leftRest] = version.split('.');
    auto [right, rightRest] = other.split('.');
    uint64_t leftNumber = 0, rightNumber = 0;
    bool isNumber = !left.consumeInteger(10, leftNumber);
    bool isOtherNumber = !right.consumeInteger(10, rightNumber);
    if (isNumber != isOtherNumber)
      return !isNumber; // "dev1" comes before "1"
    if (leftNumber != rightNumber)
      return leftNumber < rightNumber;
    if (left != right) // "1rc1" comes before "1", and "1" before "1+cu128"
      return left.empty()    ? right.starts_with("+")
             : right.empty() ? !left.starts_with("+")
                             : left < right;
    version = leftRest;
    other = rightRest;
  }
  return version.empty() && !other.empty() && llvm::isDigit(other.front());
}

bool isSameVersion(llvm::StringRef one, llvm::StringRef other) {
  return piecesOf(one) == piecesOf(other);
}

} // namespace tcfix
