// The values of tcfix: what a library contains (Image), what is wanted of it (Edit), and what that
// changed (Change), in terms that fit all three formats.
//
// Standard types only: this header is part of the public interface, and everything in lib/ uses the
// same values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tcfix {

enum class Format { MachO, Elf, Pe };

enum class DependencyKind { Normal, Weak, Reexport, Upward, Delay };

/// A library that this one requires.
struct Dependency {
  std::string name;
  DependencyKind kind = DependencyKind::Normal;
  bool isLazy = false; ///< bound at first use: the library loads without it
};

/// ELF has two kinds of search path, with different reach.
enum class SearchPathKind { Rpath, Runpath };

enum class SignatureState { None, Valid, Invalid };
enum class SignatureKind { AdHoc, LinkerSigned, Cms };

/// A Mach-O code signature, verified.
struct SignatureSummary {
  SignatureState state = SignatureState::None;
  std::optional<SignatureKind> kind;
  std::string identifier;
  /// Of a program: its process loads only libraries that its own team, or Apple, signed (the
  /// hardened runtime without the entitlement that lifts it).
  bool refusesOthers = false;
  bool canBeRebuilt = true; ///< false: invalid in a way that `sign` refuses to repair
};

struct ImportedSymbol {
  std::string name;
  std::string from; ///< the dependency it is bound to; empty where the format has no such field
  bool isOptional = false; ///< weak: the library loads without it
};

/// One architecture's part of a library; ELF and PE files have exactly one.
struct Slice {
  std::string arch;
  std::string fileType; ///< such as "shared library", "bundle", "executable"
  std::optional<std::string>
      identity; ///< install name, SONAME, or the name in the export directory
  std::vector<Dependency> dependencies;
  std::vector<std::string> searchPaths; ///< in search order
  std::optional<SearchPathKind> searchPathKind;
  std::string minOs;    ///< such as "11.0"; empty where it is not recorded
  std::string minGlibc; ///< ELF: the oldest glibc that has all it requires; empty if any has
  std::string sdk;      ///< of Mach-O: what it was built with, which decides how strict dyld is
  std::optional<SignatureSummary> signature;
  std::vector<ImportedSymbol> imports; ///< only when symbols were requested
  std::vector<std::string> exports;
  /// More facts for people, as "name: value", in the order to show them.
  std::vector<std::pair<std::string, std::string>> details;
};

struct Image {
  Format format = Format::MachO;
  bool isUniversal = false;
  std::vector<Slice> slices;
};

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
/// ELF only.
struct SetSearchPathKind {
  SearchPathKind kind;
};
struct RenameDependency {
  std::string from;
  std::string to;
};
/// ELF only.
struct AddDependency {
  std::string name;
};
/// ELF and PE.
struct RemoveDependency {
  std::string name;
};
/// Mach-O and ELF.
struct SetIdentity {
  std::string name;
};
/// PE only: load the DLL through the embedded search list.
struct DelayDependency {
  std::string pattern; ///< a name or a glob
  bool lazy = false;   ///< at the first call instead of when the library is loaded
};
/// PE only.
struct UndelayDependency {
  std::string pattern;
};

/// Every edit says "ensure": applied to a file that already is as wanted, it changes nothing. Edits
/// are visited with one overload for each kind; a format refuses what it cannot do.
using Edit = std::variant<AddSearchPath, RemoveSearchPath, ReplaceSearchPath, SetSearchPathKind,
                          RenameDependency, AddDependency, RemoveDependency, SetIdentity,
                          DelayDependency, UndelayDependency>;

/// Those that mean the same in every format: see lib/image/ensure.h.
using SearchPathEdit = std::variant<AddSearchPath, RemoveSearchPath, ReplaceSearchPath>;

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

/// One difference between the old and the new library, for reports and the journal.
struct Change {
  Operation operation;
  std::string value;
  std::string old; ///< empty where there is no old value
  std::string reason;
  std::string arch; ///< the slice, in a universal file; else empty
};

} // namespace tcfix
