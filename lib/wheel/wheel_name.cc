#include "wheel/wheel_name.h"

#include "base/error.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::wheel {

namespace {

constexpr llvm::StringLiteral kMark = "tcfix";

} // namespace

llvm::Expected<WheelName> WheelName::parse(llvm::StringRef fileName) {
  llvm::StringRef stem = fileName;
  llvm::SmallVector<llvm::StringRef, 6> parts;
  bool isWheel = stem.consume_back_insensitive(".whl");
  stem.split(parts, '-');
  if (!isWheel || parts.size() < 5 || parts.size() > 6 ||
      llvm::any_of(parts, [](llvm::StringRef part) { return part.empty(); }))
    return fail(ErrorCode::Malformed,
                "is not called like a wheel: NAME-VERSION-PYTHON-ABI-PLATFORM.whl");
  size_t known = parts[0].size() + 1 + parts[1].size();
  return WheelName{parts[0].str(), parts[1].str(), fileName.drop_front(known).str()};
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
