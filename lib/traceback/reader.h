// Reads a traceback: the text of somebody's failed import becomes plain facts.
//
// Understood are the words of the package's own error (recipe::ErrorWords), of glibc's and musl's
// loader, of dyld, of Windows, of Python and its installers, wherever they stand: behind time
// stamps, in quotes, all on one line, cut off. Nothing in a text is trusted to be complete, and
// reading takes time in proportion to its length.
#pragma once

#include "doctor/defect.h"
#include "traceback/plain_text.h"
#include "traceback/versions.h"

namespace tcfix::traceback {

using doctor::Defect;

/// Of one kind in one text: what is printed again and again adds nothing.
constexpr size_t kMostFailures = 50;

/// The failures with one FFmpeg major, or, with major 0, outside of the package's list of them.
struct FailureGroup {
  int major = 0;
  std::vector<Defect> failures = {}; ///< the cause first, then what followed from it
};

struct TracebackFacts {
  std::vector<FailureGroup> groups = {}; ///< the highest major first, and 0 last
  /// The attempts with all majors are in this text; else what is not there proves nothing.
  bool isListComplete = false;
  bool isFromList = false;     ///< the package tried one major after the other
  bool isAboutPackage = false; ///< the recipe's package is named
  bool isOwnBuild = false;     ///< of the user or a vendor: it has not the libraries of all majors
  bool isNvidiaTorch = false;  ///< of NGC or a Jetson, by the places that it was built in
  bool isMajorPrinted = false; ///< the FFmpeg that the package uses, which proves that it works
  bool isTorioLoaded = false;  ///< torchaudio found an FFmpeg of its own
  bool endsInSentence = false; ///< cut off within a sentence about the package
  bool looksLikeFailure = false; ///< whatever it is about
  Versions versions = {};

  bool hasMajors() const { return !groups.empty() && groups.front().major != 0; }
};

TracebackFacts readTraceback(llvm::StringRef text);

/// Everything that loaders and Python report in a piece of plain text, in its order.
std::vector<Defect> readFailures(llvm::StringRef text);

/// A loader's word on a library, not that of an installer, a shell or another package.
bool isLoadersWord(const Defect& failure);

/// The same failure, whatever words reported it.
bool isSame(const Defect& one, const Defect& other);
bool contains(llvm::ArrayRef<Defect> failures, const Defect& failure);

/// A library that failed for a reason that the text does not have.
Defect causeNotTold(const std::string& library);

} // namespace tcfix::traceback
