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
                "does not have the name of a wheel: NAME-VERSION-PYTHON-ABI-PLATFORM.whl",
                "restore its original name");
  size_t known = parts[0].size() + 1 + parts[1].size();
  return WheelName{parts[0].str(), parts[1].str(), fileName.drop_front(known).str()};
}

std::optional<Version> WheelName::leastSystem() const {
  // The names from before PEP 600.
  constexpr std::pair<llvm::StringLiteral, Version> kOld[] = {
      {"manylinux1_", {2, 5}}, {"manylinux2010_", {2, 12}}, {"manylinux2014_", {2, 17}}};
  std::optional<Version> least;
  llvm::StringRef tags = llvm::StringRef(rest).rsplit('-').second;
  for (llvm::StringRef tag : llvm::split(tags, '.')) {
    std::optional<Version> version;
    if (tag.consume_front("manylinux_") || tag.consume_front("macosx_"))
      version = parseVersion(tag, '_');
    for (const auto& [name, meant] : kOld)
      if (tag.starts_with(name))
        version = meant;
    if (version && (!least || *version < *least))
      least = version;
  }
  return least;
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
