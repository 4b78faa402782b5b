#include "image/names.h"

namespace tcfix {

llvm::StringRef nameOf(Operation operation) {
  switch (operation) {
  case Operation::AddRpath:
    return "add_rpath";
  case Operation::RemoveRpath:
    return "remove_rpath";
  case Operation::ReplaceRpath:
    return "replace_rpath";
  case Operation::SetRpathKind:
    return "set_rpath_kind";
  case Operation::RenameDependency:
    return "rename_dependency";
  case Operation::AddDependency:
    return "add_dependency";
  case Operation::RemoveDependency:
    return "remove_dependency";
  case Operation::SetId:
    return "set_id";
  case Operation::Delay:
    return "delay";
  case Operation::Undelay:
    return "undelay";
  case Operation::Sign:
    return "sign";
  case Operation::ReplaceFile:
    return "replace_file";
  }
  return {};
}

llvm::StringRef nameOf(DependencyKind kind) {
  switch (kind) {
  case DependencyKind::Normal:
    return "normal";
  case DependencyKind::Weak:
    return "weak";
  case DependencyKind::Reexport:
    return "reexport";
  case DependencyKind::Upward:
    return "upward";
  case DependencyKind::Delay:
    return "delay";
  }
  return {};
}

llvm::StringRef nameOf(SearchPathKind kind) {
  return kind == SearchPathKind::Rpath ? "rpath" : "runpath";
}

llvm::StringRef nameOf(SignatureState state) {
  switch (state) {
  case SignatureState::None:
    return "none";
  case SignatureState::Valid:
    return "valid";
  case SignatureState::Invalid:
    return "invalid";
  }
  return {};
}

llvm::StringRef nameOf(SignatureKind kind) {
  switch (kind) {
  case SignatureKind::AdHoc:
    return "adhoc";
  case SignatureKind::LinkerSigned:
    return "linker-signed";
  case SignatureKind::Cms:
    return "cms";
  }
  return {};
}

llvm::StringRef reasonOf(const Change& change) {
  return change.reason.empty() ? llvm::StringRef("asked for") : llvm::StringRef(change.reason);
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
