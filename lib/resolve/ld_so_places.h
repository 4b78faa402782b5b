// Where glibc's ld.so searches: the target's cache and default directories, and the tokens in
// search paths.
#pragma once

#include "io/file.h"
#include "io/target_disk.h"
#include "resolve/ld_cache.h"

namespace tcfix::resolve {

/// A directory to search, or why it cannot be searched.
struct Place {
  std::optional<std::string> folder; ///< host path
  std::string rest;                  ///< what follows the directory, such as "../torch/lib"
  std::string text;                  ///< the path to print
  bool isUnknown = false;            ///< not on this machine
};

/// Debian's name for the directory of an architecture's libraries, such as "x86_64-linux-gnu";
/// empty for an architecture without one.
std::string multiarchFolder(llvm::StringRef arch);

/// The target's ld.so configuration.
class LdSoSystem {
public:
  /// `disk` must outlive the system.
  LdSoSystem(const io::TargetDisk& disk, std::string arch);

  /// The directory of an entry of DT_RPATH, DT_RUNPATH or LD_LIBRARY_PATH. `origin` is the host
  /// directory of the library that has it; empty if $ORIGIN does not apply.
  Place placeOf(llvm::StringRef entry, llvm::StringRef origin) const;

  /// Host paths of a library in the target's ld.so.cache.
  std::vector<std::string> findInCache(llvm::StringRef name) const;

  /// Host paths of a library that the loader finds without a search path, in search order. They may
  /// be files for another architecture.
  std::vector<std::string> find(llvm::StringRef name) const;

  /// The loader's default directories; without a cache, also those of ld.so.conf.
  llvm::ArrayRef<Place> defaultPlaces() const { return places; }

  /// Subdirectories with optimized code for newer CPUs, best first; the directory itself comes
  /// last. ld.so checks the CPU; here it is assumed to have the features of the last ten years.
  std::vector<std::string> subfoldersOf(const Place& place) const;

  /// Whether the target's own glibc is on this machine; if not, base libraries are assumed.
  bool hasLibc() const { return isLibcPresent; }

private:
  std::string libToken() const;
  std::string expandTokens(llvm::StringRef text) const;
  void readCache();
  void readConfig(llvm::StringRef path, unsigned depth, std::vector<std::string>& folders) const;

  const io::TargetDisk& disk;
  std::string arch;
  std::optional<LdCache> cacheFile;
  std::vector<LdCacheEntry> cache; ///< those for this architecture, sorted by name
  bool isMultiarch = false;
  std::vector<Place> places;
  bool isLibcPresent = false;
};

/// A library that every glibc system has, so wheels do not contain it (PEP 600, manylinux).
struct BaseLibrary {
  bool isBase = false;
  bool hasVersions = false; ///< all its symbols have versions
  bool isPortable = false;  ///< current policies allow wheels to take it from the system
};
BaseLibrary baseLibrary(llvm::StringRef name);

/// True for a symbol of C++'s standard library, as GCC and Clang mangle it.
bool isStandard(llvm::StringRef symbol);

/// True for functions of libm, libdl and libpthread. Every python loads these, so extensions can
/// use them without listing the library, and then without a version.
bool isInEveryPython(llvm::StringRef symbol);

} // namespace tcfix::resolve
