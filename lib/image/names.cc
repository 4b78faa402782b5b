#include "image/names.h"

#include "base/enum_name.h"

namespace tcfix {

llvm::StringRef nameOf(Operation operation) {
  return enumName<Operation::ReplaceFile>(
      operation, {"add_rpath", "remove_rpath", "replace_rpath", "set_rpath_kind",
                  "rename_dependency", "add_dependency", "remove_dependency", "set_id", "delay",
                  "undelay", "sign", "replace_file"});
}

llvm::StringRef describe(Operation operation) {
  return enumName<Operation::ReplaceFile>(
      operation,
      {"+ search path", "- search path", "~ search path", "~ kind", "~ dependency", "+ dependency",
       "- dependency", "~ identity", "~ delayed", "~ not delayed", "~ signature", "~ file"});
}

llvm::StringRef nameOf(DependencyKind kind) {
  return enumName<DependencyKind::Delay>(kind, {"normal", "weak", "reexport", "upward", "delay"});
}

llvm::StringRef nameOf(SearchPathKind kind) {
  return kind == SearchPathKind::Rpath ? "rpath" : "runpath";
}

llvm::StringRef nameOf(SignatureState state) {
  return enumName<SignatureState::Invalid>(state, {"none", "valid", "invalid"});
}

llvm::StringRef nameOf(SignatureKind kind) {
  return enumName<SignatureKind::Cms>(kind, {"adhoc", "linker-signed", "cms"});
}

llvm::StringRef reasonOf(const Change& change) {
  return change.reason.empty() ? llvm::StringRef("requested") : llvm::StringRef(change.reason);
}

llvm::StringRef baseName(llvm::StringRef path) {
  size_t slash = path.find_last_of("/\\");
  return slash == llvm::StringRef::npos ? path : path.drop_front(slash + 1);
}

std::string architecturesOf(const Image& image) {
  std::string text;
  for (const Slice& slice : image.slices)
    text += (text.empty() ? "" : " and ") + slice.arch;
  return text;
}

std::string describeBriefly(const SignatureSummary& signature) {
  std::string text = nameOf(signature.state).str();
  if (signature.kind)
    text += ", " + nameOf(*signature.kind).str();
  return text;
}

std::string describe(const SignatureSummary& signature) {
  std::string text = describeBriefly(signature);
  if (!signature.identifier.empty())
    text += ", identifier " + signature.identifier;
  return text;
}

} // namespace tcfix
