// ld.so.cache: the libraries that glibc's ldconfig found in the system's folders.
//
// The format is glibc's cache_file_new (sysdeps/generic/dl-cache.h), alone or behind the older one.
// As ld.so does, entries whose strings lie outside the file are passed over.
#pragma once

#include "io/target_disk.h"

namespace tcfix::resolve {

/// The texts are views into the bytes that were parsed.
struct LdCacheEntry {
  llvm::StringRef name; ///< the SONAME
  llvm::StringRef path; ///< a target path
  uint32_t flags = 0;   ///< kind and architecture
  uint64_t hwcap = 0;   ///< not 0: only for CPUs that can do more than the baseline

  /// Whether ld.so of this architecture ("x86_64", "aarch64", …) takes the entry.
  bool isFor(llvm::StringRef arch) const;
};

/// The entries in the file's order; nothing if it is no such file.
std::optional<std::vector<LdCacheEntry>> parseLdCache(Bytes bytes);

/// The target's own cache, with the file that the entries are views of.
struct LdCache {
  io::InputFile file;
  std::vector<LdCacheEntry> entries;
};

/// Nothing if the target has no cache, or one that cannot be read.
std::optional<LdCache> readLdCache(const io::TargetDisk& disk);

} // namespace tcfix::resolve
