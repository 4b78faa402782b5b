// Reads a traceback: the text of somebody's failed import becomes plain facts.
//
// Understood are the words of the package's own error (recipe::ErrorWords), of glibc's and musl's
// loader, of dyld, of Windows by its error numbers, and of Python, wherever they stand: behind time
// stamps, in quotes, all on one line, cut off. Nothing in a text is trusted to be complete, and
// reading takes time in proportion to its length.
#pragma once

#include "doctor/defect.h"
#include "image/platform.h"

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
  std::vector<FailureGroup> groups = {}; ///< in the order of the text; those with majors first
  bool isListComplete = false;           ///< the list of majors begins in this text
  // Versions, empty where the text has none. `release` is that of the package.
  std::string torch = {}, release = {}, python = {};
  std::optional<Platform> platform = {};
  bool isConda = false;
  int ffmpegProgram = 0;        ///< the major of an ffmpeg whose own output is in the text
  bool isProgramStatic = false; ///< and that it has no shared libraries

  bool hasMajors() const { return !groups.empty() && groups.front().major != 0; }
};

TracebackFacts readTraceback(llvm::StringRef text);

/// Without colours and carriage returns; UTF-16, as PowerShell writes it, becomes UTF-8.
std::string plainText(llvm::StringRef text);

/// Everything that loaders and Python report in a piece of plain text, in its order.
std::vector<Defect> readFailures(llvm::StringRef text);

/// The same failure, whatever words reported it.
bool isSame(const Defect& one, const Defect& other);
bool contains(llvm::ArrayRef<Defect> failures, const Defect& failure);

/// A library that failed for a reason that the text does not have.
Defect causeNotTold(const std::string& library);

} // namespace tcfix::traceback
