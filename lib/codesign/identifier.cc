#include "codesign/identifier.h"

#include "io/digest.h"

namespace tcfix::codesign {

namespace {

constexpr llvm::StringRef kDigits = "0123456789";
constexpr llvm::StringRef kDigitsAndDot = "0123456789.";

llvm::StringRef canonicalName(llvm::StringRef name) {
  if (size_t slash = name.find_last_of("/\\"); slash != llvm::StringRef::npos)
    name = name.drop_front(slash + 1);
  size_t dot = name.rfind('.');
  bool isNumeric =
      dot != llvm::StringRef::npos && dot + 1 < name.size() && kDigits.contains(name[dot + 1]);
  if (dot != llvm::StringRef::npos && !isNumeric)
    name = name.take_front(dot);
  // A name that starts with a digit or a dot is kept as it is.
  size_t stem = name.find_last_not_of(kDigitsAndDot);
  if (name.empty() || kDigitsAndDot.contains(name.front()) || stem == llvm::StringRef::npos)
    return name;
  size_t end = stem + 1;
  if (end < name.size() && name[end] == '.')
    ++end;
  while (end < name.size() && kDigits.contains(name[end]))
    ++end;
  return name.take_front(end);
}

} // namespace

std::string identifierFor(llvm::StringRef fileName, const macho::FileSlice& slice) {
  std::string identifier = canonicalName(fileName).str();
  if (identifier.find('.') != std::string::npos)
    return identifier;
  for (const macho::LoadCommand& command : slice.commands) {
    if (command.kind != llvm::MachO::LC_UUID)
      continue;
    auto uuid = macho::commandAs<llvm::MachO::uuid_command>(slice, command);
    return identifier + "-" + io::hexOf(bytesOf("UUID")) + io::hexOf(uuid.uuid);
  }
  return identifier;
}

} // namespace tcfix::codesign
