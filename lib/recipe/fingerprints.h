// Fingerprints: words and line numbers of a traceback that show which version printed it.
#pragma once

#include "base/version.h"

#include <llvm/ADT/ArrayRef.h>

namespace tcfix::recipe {

/// A range of versions of a package, both ends included.
struct VersionSpan {
  Version first = {}, last = {};
  bool isKnown() const { return first.isKnown(); }
  bool isOne() const { return isKnown() && first == last; }
  bool contains(Version version) const { return !(version < first) && !(last < version); }
  /// The common versions; unknown if there are none.
  VersionSpan sharedWith(const VersionSpan& other) const;
  std::string text() const; ///< "0.9" or "0.11 to 0.15"
};

/// A frame of a traceback: a line of a function in a file.
struct FrameFingerprint {
  llvm::StringLiteral file;     ///< the end of its path, with '/'
  llvm::StringLiteral function; ///< empty: any
  int line;                     ///< 0: any
  VersionSpan versions;
};

struct WordFingerprint {
  llvm::StringLiteral words;
  VersionSpan versions;
};

struct Fingerprints {
  llvm::ArrayRef<FrameFingerprint> frames;
  llvm::ArrayRef<WordFingerprint> words;
};

/// Of the default recipe's package.
Fingerprints packageFingerprints();
Fingerprints torchFingerprints();

} // namespace tcfix::recipe
