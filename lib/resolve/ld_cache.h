// ld.so.cache: the libraries that glibc's ldconfig found in the system's folders.
//
// The format is glibc's cache_file_new (sysdeps/generic/dl-cache.h), alone or behind the older one.
// As ld.so does, entries whose strings lie outside the file are passed over.
#pragma once

#include "base/bytes.h"

#include <optional>

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

} // namespace tcfix::resolve
