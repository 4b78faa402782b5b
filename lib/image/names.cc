#include "image/edit.h"

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

} // namespace tcfix
