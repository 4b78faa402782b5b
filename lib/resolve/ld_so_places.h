// Where glibc's ld.so looks: the target's cache and default folders, and what the tokens of a
// search path mean.
#pragma once

#include "io/file.h"
#include "io/target_disk.h"
#include "resolve/ld_cache.h"

namespace tcfix::resolve {

/// A folder of a search, or why it is none.
struct Place {
  std::optional<std::string> folder; ///< host path
  std::string rest;                  ///< what follows the folder, such as "../torch/lib"
  std::string text;                  ///< as people know it
  bool isUnknown = false;            ///< out of reach
};

/// Debian's name for the directory of an architecture's libraries, such as "x86_64-linux-gnu";
/// empty for an architecture without one.
std::string multiarchFolder(llvm::StringRef arch);

/// What ld.so knows of the target before any library is looked at.
class LdSoSystem {
public:
  /// `disk` must outlive the system.
  LdSoSystem(const io::TargetDisk& disk, std::string arch);

  /// One entry of a DT_RPATH, DT_RUNPATH or LD_LIBRARY_PATH. `origin` is the host folder of the
  /// library that has it; empty where $ORIGIN means nothing.
  Place placeOf(llvm::StringRef entry, llvm::StringRef origin) const;

  /// Host paths of a library in the target's ld.so.cache.
  std::vector<std::string> findInCache(llvm::StringRef name) const;

  /// Host paths of a library that the loader finds without any search path, the first it takes
  /// first. They need not be files for this architecture.
  std::vector<std::string> find(llvm::StringRef name) const;

  /// The folders that the loader itself knows; where there is no cache, also those of ld.so.conf.
  llvm::ArrayRef<Place> defaultPlaces() const { return places; }

  /// Names below a folder where better code for newer CPUs may lie, best first; the folder itself
  /// is the last. ld.so asks the CPU; here it has what those of the last ten years have.
  std::vector<std::string> subfoldersOf(const Place& place) const;

  /// Whether the target's own glibc is in reach; if not, base libraries are assumed.
  bool hasLibc() const { return libcIsThere; }

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
  bool libcIsThere = false;
};

/// A library that every glibc system has, so that no wheel brings it (PEP 600, manylinux).
struct BaseLibrary {
  bool isBase = false;
  bool hasVersions = false; ///< all its symbols have versions: unversioned ones are not its own
  bool isPortable = false;  ///< today's policies allow it: a new wheel may leave it to the system
};
BaseLibrary baseLibrary(llvm::StringRef name);

/// True for a symbol of C++'s standard library, as GCC and Clang mangle it.
bool isStandard(llvm::StringRef symbol);

/// True for functions of libm, libdl and libpthread. Every python brings these in, so that
/// extensions use them without asking for the library, and then for no version.
bool isOfEveryPython(llvm::StringRef symbol);

} // namespace tcfix::resolve
