// Reads a traceback: turns the text of a failed import into plain facts.
//
// It recognizes the wording of the package's own error (recipe::ErrorWords), of glibc's and musl's
// loader, of dyld, of Windows, of Python and its installers, in any position: after time stamps, in
// quotes, all on one line, truncated. A text is never assumed to be complete, and reading takes
// time in proportion to its length.
#pragma once

#include "doctor/defect.h"
#include "traceback/plain_text.h"
#include "traceback/versions.h"

namespace tcfix::traceback {

using doctor::Defect;

/// Per kind and text: repetitions add nothing.
constexpr size_t kMostFailures = 50;

/// The failures with one FFmpeg major; with major 0 those outside the package's list of majors.
struct FailureGroup {
  int major = 0;
  std::vector<Defect> failures = {}; ///< the cause first, then its consequences
};

struct TracebackFacts {
  std::vector<FailureGroup> groups = {}; ///< the highest major first, and 0 last
  /// The text has the attempts with all majors; otherwise what is not in it proves nothing.
  bool isListComplete = false;
  bool isFromList = false;       ///< the package tried one major after the other
  bool isAboutPackage = false;   ///< the text mentions the recipe's package
  bool isAboutTorch = false;     ///< the text mentions torch, or a package of its family
  bool isOwnBuild = false;       ///< by the user or a vendor: it lacks the libraries of some majors
  std::string torchVendor = {};  ///< the vendor of its torch, according to its paths; may be empty
  bool isOnJetson = false;       ///< its torch is usually NVIDIA's
  bool isMajorPrinted = false;   ///< the FFmpeg that the package uses, which proves that it works
  bool isTorioLoaded = false;    ///< torchaudio found an FFmpeg
  bool endsInSentence = false;   ///< truncated within a sentence about the package
  bool looksLikeFailure = false; ///< of any kind
  Versions versions = {};
  std::vector<std::string> packages = {}; ///< those with a file in the text

  bool hasMajors() const { return !groups.empty() && groups.front().major != 0; }
};

TracebackFacts readTraceback(llvm::StringRef text);

/// Everything that loaders and Python report in a piece of plain text, in order.
std::vector<Defect> readFailures(llvm::StringRef text);

/// A loader's message about a library, not one of an installer, a shell or another package.
bool isLoadersWord(const Defect& failure);

/// The same failure, whatever words reported it.
bool isSame(const Defect& one, const Defect& other);
bool contains(llvm::ArrayRef<Defect> failures, const Defect& failure);

/// A library that failed for a reason that is not in the text.
Defect causeNotTold(const std::string& library);

} // namespace tcfix::traceback
