// Image: what a library says of itself, in words that fit all three formats.
//
// Values only. A format's room fills it in; everything above reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tcfix {

enum class Format { MachO, Elf, Pe };

enum class DependencyKind { Normal, Weak, Reexport, Upward, Delay };

/// A library that this one asks the loader for.
struct Dependency {
  std::string name;
  DependencyKind kind = DependencyKind::Normal;
  bool isLazy = false; ///< bound at first use: the library loads without it
};

/// ELF has two kinds of search path, with different reach.
enum class SearchPathKind { Rpath, Runpath };

enum class SignatureState { None, Valid, Invalid };
enum class SignatureKind { AdHoc, LinkerSigned, Cms };

/// A Mach-O code signature, judged.
struct SignatureSummary {
  SignatureState state = SignatureState::None;
  std::optional<SignatureKind> kind;
  std::string identifier;
  /// Of a program: its process takes only libraries that its own team, or Apple, signed (the
  /// hardened runtime without the entitlement that lifts it).
  bool refusesOthers = false;
};

struct ImportedSymbol {
  std::string name;
  std::string from;        ///< the dependency it is bound to; empty where the format does not say
  bool isOptional = false; ///< weak: the library loads without it
};

/// One architecture's part of a library; ELF and PE files have exactly one.
struct Slice {
  std::string arch;
  std::string fileType; ///< such as "shared library", "bundle", "executable"
  std::optional<std::string> identity;
  std::vector<Dependency> dependencies;
  std::vector<std::string> searchPaths; ///< in search order
  std::optional<SearchPathKind> searchPathKind;
  std::string minOs;      ///< such as "11.0"; empty when the file does not say
  std::string leastGlibc; ///< of ELF: the newest GLIBC_ version that it asks for; else empty
  std::string sdk;        ///< of Mach-O: what it was built with, which decides how strict dyld is
  std::optional<SignatureSummary> signature;
  std::vector<ImportedSymbol> imports; ///< only when symbols were asked for
  std::vector<std::string> exports;
  /// More facts for people, as "name: value", in the order to show them.
  std::vector<std::pair<std::string, std::string>> details;
};

struct Image {
  Format format = Format::MachO;
  bool isUniversal = false;
  std::vector<Slice> slices;
};

} // namespace tcfix
