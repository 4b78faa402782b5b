// Edit: what is wanted of a library. Change: what that came to.
//
// Every edit says "ensure": applied to a file that already is as wanted, it changes nothing.
#pragma once

#include "image/image.h"

#include <llvm/ADT/StringRef.h>

#include <string>
#include <variant>
#include <vector>

namespace tcfix {

struct AddSearchPath {
  std::string path;
  bool atFront = false; ///< ensure that it is searched first, not just somewhere
};
struct RemoveSearchPath {
  std::string path;
};
struct ReplaceSearchPath {
  std::string from;
  std::string to;
};
struct SetSearchPathKind {
  SearchPathKind kind;
};
struct RenameDependency {
  std::string from;
  std::string to;
};
struct AddDependency {
  std::string name;
};
struct RemoveDependency {
  std::string name;
};
struct SetIdentity {
  std::string name;
};
struct DelayDependency {
  std::string pattern;
  bool lazy = false;
};
struct UndelayDependency {
  std::string pattern;
};

using Edit = std::variant<AddSearchPath, RemoveSearchPath, ReplaceSearchPath, SetSearchPathKind,
                          RenameDependency, AddDependency, RemoveDependency, SetIdentity,
                          DelayDependency, UndelayDependency>;

enum class Operation {
  AddRpath,
  RemoveRpath,
  ReplaceRpath,
  SetRpathKind,
  RenameDependency,
  AddDependency,
  RemoveDependency,
  SetId,
  Delay,
  Undelay,
  Sign,
  ReplaceFile,
};

/// The operation's name in JSON, such as "add_rpath".
llvm::StringRef nameOf(Operation operation);

/// One difference between the old and the new library, for reports and the journal.
struct Change {
  Operation operation;
  std::string value;
  std::string old;    ///< empty where there is no old value
  std::string reason; ///< empty: it was asked for
  std::string arch;   ///< the slice, in a universal file; else empty
};

} // namespace tcfix
