// ld.so.cache: the libraries that glibc's ldconfig found in the system directories.
//
// The format is glibc's cache_file_new (sysdeps/generic/dl-cache.h), alone or after the older one.
// Like ld.so, ignores entries whose strings are outside the file.
#pragma once

#include "io/target_disk.h"

namespace tcfix::resolve {

/// The strings are views of the parsed bytes.
struct LdCacheEntry {
  llvm::StringRef name; ///< the SONAME
  llvm::StringRef path; ///< a target path
  uint32_t flags = 0;   ///< kind and architecture
  uint64_t hwcap = 0;   ///< not 0: only for CPUs with features beyond the baseline

  /// Whether ld.so of this architecture ("x86_64", "aarch64", …) uses the entry.
  bool isFor(llvm::StringRef arch) const;
};

/// The entries in file order; nothing if it is not an ld.so.cache.
std::optional<std::vector<LdCacheEntry>> parseLdCache(Bytes bytes);

/// The target's cache, and the file that the entries are views of.
struct LdCache {
  io::InputFile file;
  std::vector<LdCacheEntry> entries;
};

/// Nothing if the target has no cache, or one that cannot be read.
std::optional<LdCache> readLdCache(const io::TargetDisk& disk);

} // namespace tcfix::resolve
