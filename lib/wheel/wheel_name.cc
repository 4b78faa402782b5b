#include "wheel/wheel_name.h"

#include "base/error.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <vector>

namespace tcfix::wheel {

namespace {

constexpr llvm::StringLiteral kMark = "tcfix";

/// PEP 440's own spelling of a word.
std::string usualWord(llvm::StringRef word) {
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

/// A version's numbers and words, in PEP 440's spelling. What stands between them is left out: a
/// file name cannot tell a "+" from a "-".
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
      pieces.push_back(usualWord(piece));
    } else {
      piece = piece.ltrim('0');
      pieces.push_back(piece.empty() ? "0" : piece.str());
    }
  }
  while (!pieces.empty() && pieces.back() == "0") // and 1.0rc is 1.0rc0
    pieces.pop_back();
  return pieces;
}

} // namespace

llvm::Expected<WheelName> WheelName::parse(llvm::StringRef fileName) {
  llvm::StringRef stem = fileName;
  llvm::SmallVector<llvm::StringRef, 6> parts;
  bool isWheel = stem.consume_back_insensitive(".whl");
  stem.split(parts, '-');
  if (!isWheel || parts.size() < 5 || parts.size() > 6 ||
      llvm::any_of(parts, [](llvm::StringRef part) { return part.empty(); }))
    return fail(ErrorCode::Malformed,
                "is not called like a wheel: NAME-VERSION-PYTHON-ABI-PLATFORM.whl",
                "give it the name back that it had when it was made");
  size_t known = parts[0].size() + 1 + parts[1].size();
  return WheelName{parts[0].str(), parts[1].str(), fileName.drop_front(known).str()};
}

std::optional<SystemVersion> SystemVersion::parse(llvm::StringRef text, char separator) {
  SystemVersion version;
  if (text.consumeInteger(10, version.major) ||
      !text.consume_front(llvm::StringRef(&separator, 1)) || text.consumeInteger(10, version.minor))
    return std::nullopt;
  return version;
}

std::optional<SystemVersion> WheelName::leastSystem() const {
  // The names from before PEP 600.
  constexpr std::pair<llvm::StringLiteral, SystemVersion> kOld[] = {
      {"manylinux1_", {2, 5}}, {"manylinux2010_", {2, 12}}, {"manylinux2014_", {2, 17}}};
  std::optional<SystemVersion> least;
  llvm::StringRef tags = llvm::StringRef(rest).rsplit('-').second;
  for (llvm::StringRef tag : llvm::split(tags, '.')) {
    std::optional<SystemVersion> version;
    if (tag.consume_front("manylinux_") || tag.consume_front("macosx_"))
      version = SystemVersion::parse(tag, '_');
    for (const auto& [name, meant] : kOld)
      if (tag.starts_with(name))
        version = meant;
    if (version && (!least || *version < *least))
      least = version;
  }
  return least;
}

bool isSameVersion(llvm::StringRef one, llvm::StringRef other) {
  return piecesOf(one) == piecesOf(other);
}

std::string repairedVersion(llvm::StringRef version, bool hasLocal) {
  llvm::StringRef stem = version.rtrim("0123456789");
  unsigned number = 0;
  if (hasLocal && stem.ends_with(kMark) &&
      !version.drop_front(stem.size()).getAsInteger(10, number))
    return stem.str() + std::to_string(number + 1);
  return version.str() + (hasLocal ? "." : "+") + kMark.str() + "1";
}

} // namespace tcfix::wheel
