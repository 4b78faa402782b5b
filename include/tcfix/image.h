// The values of tcfix: what a library contains (Image), a requested edit (Edit) and its effect
// (Change), in terms that apply to all three formats.
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

/// ELF has two kinds of search path: DT_RPATH also applies to dependencies of dependencies.
enum class SearchPathKind { Rpath, Runpath };

enum class SignatureState { None, Valid, Invalid };
enum class SignatureKind { AdHoc, LinkerSigned, Cms };

/// A Mach-O code signature, verified.
struct SignatureSummary {
  SignatureState state = SignatureState::None;
  std::optional<SignatureKind> kind;
  std::string identifier;
  /// For a program: library validation is on, so its process loads only libraries signed by the
  /// same team or by Apple (hardened runtime without the entitlement that disables it).
  bool refusesOthers = false;
  bool canBeRebuilt = true; ///< false: invalid in a way that `sign` refuses to repair
};

struct ImportedSymbol {
  std::string name;
  std::string from;        ///< the dependency it is bound to; empty if the format has no such field
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
  std::string minOs;    ///< such as "11.0"; empty if not recorded
  std::string minGlibc; ///< ELF: the oldest glibc that it runs on; empty: any
  std::string sdk;      ///< Mach-O: the SDK it was built with; dyld is stricter for recent ones
  std::optional<SignatureSummary> signature;
  std::vector<ImportedSymbol> imports; ///< only when symbols were requested
  std::vector<std::string> exports;
  /// Further details for display, as "name: value", in display order.
  std::vector<std::pair<std::string, std::string>> details;
};

struct Image {
  Format format = Format::MachO;
  bool isUniversal = false;
  std::vector<Slice> slices;
};

struct AddSearchPath {
  std::string path;
  bool atFront = false; ///< ensure that it is the first entry
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

/// Every edit is idempotent: applied to a file that is already as requested, it changes nothing.
/// Edits are visited with one overload for each kind; a format refuses what it does not support.
using Edit = std::variant<AddSearchPath, RemoveSearchPath, ReplaceSearchPath, SetSearchPathKind,
                          RenameDependency, AddDependency, RemoveDependency, SetIdentity,
                          DelayDependency, UndelayDependency>;

/// The edits that all formats handle alike: see lib/image/ensure.h.
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
  std::string old; ///< empty if there is no old value
  std::string reason;
  std::string arch; ///< the slice of a universal file; else empty
};

} // namespace tcfix
