// The output for people: plain text, at most 80 columns except for paths, names and commands.
#pragma once

#include "apply/apply.h"
#include "apply/undo.h"
#include "resolve/missing_symbols.h"
#include "wheel/repair.h"

namespace tcfix::report {

/// Colours, or none. They never carry meaning alone.
struct Paint {
  bool isOn = false;
  std::string bold(llvm::StringRef text) const { return wrap("1", text); }
  std::string red(llvm::StringRef text) const { return wrap("31", text); }
  std::string green(llvm::StringRef text) const { return wrap("32", text); }
  std::string dim(llvm::StringRef text) const { return wrap("2", text); }
  /// A verdict: a whole line that stands out.
  std::string verdict(bool isGood, llvm::StringRef text) const {
    return wrap(isGood ? "1;32" : "1;31", text);
  }

private:
  std::string wrap(const char* code, llvm::StringRef text) const;
};

/// The text with all that must not reach a terminal written as \x0a: control characters such as a
/// newline in a file name, characters that change the direction of text, bytes that are not UTF-8.
std::string printable(llvm::StringRef text);

/// The width of a small terminal. Paths, names and commands that are longer are not broken.
constexpr size_t kColumns = 80;

/// Words on lines of at most kColumns, those after the first indented. The first line begins at
/// `column`.
std::string wrapped(llvm::StringRef text, size_t indent, size_t column);

std::string renderImage(llvm::StringRef path, const Image& image, const Paint& paint);
/// The symbols that dependencies should have and do not; a field of the image's view.
std::string renderMissing(llvm::ArrayRef<resolve::MissingSymbols> missing);

struct VerifiedFile {
  std::string path;
  formats::SignatureVerdict verdict;
  std::optional<Problem> problem; ///< it could not be judged
};
std::string renderVerified(const VerifiedFile& file, const Paint& paint);

/// One paragraph for each file that changed, one line for each other file, one line of summary.
std::string renderEdits(const apply::EditRun& run, const Paint& paint);

/// What the report about a target needs besides the outcome.
struct AppliedView {
  std::string package;      ///< its name; empty if there are several, or it is not known
  std::string doctor;       ///< the command that explains why it does not load
  std::vector<int> missing; ///< required FFmpeg majors that do not load
  bool isVerbose = false;   ///< list each library with its changes
};

/// How many libraries changed; each change with its reason and the number of libraries that have
/// it; whether the package loads now; the next step: a smoke test, or doctor.
std::string renderApplied(const apply::TargetOutcome& target, const AppliedView& view,
                          const Paint& paint);

/// What was done to a wheel, and where the new one is. Verbosely with each library's changes.
std::string renderWheel(const wheel::WheelOutcome& wheel, bool isVerbose, const Paint& paint);

/// What a dry run prints: a unified diff of what `inspect` prints before and after; with bytes,
/// also each patch with its offset and meaning.
std::string renderDiff(llvm::ArrayRef<apply::FileOutcome> files, bool withBytes,
                       const Paint& paint);

/// How many libraries of a target, or of a journal, were restored; verbosely which.
std::string renderUndo(llvm::StringRef target, const apply::UndoRun& run, bool isVerbose,
                       const Paint& paint);

} // namespace tcfix::report
