// The output for people: plain text, at most 80 columns except for paths, names and commands.
#pragma once

#include "apply/apply.h"
#include "apply/undo.h"
#include "resolve/missing_symbols.h"
#include "wheel/repair.h"

namespace tcfix::report {

/// Colours, or none. Colour is never the only sign.
struct Paint {
  bool isOn = false;
  std::string bold(llvm::StringRef text) const { return wrap("1", text); }
  std::string red(llvm::StringRef text) const { return wrap("31", text); }
  std::string green(llvm::StringRef text) const { return wrap("32", text); }
  std::string dim(llvm::StringRef text) const { return wrap("2", text); }
  /// A verdict: a line that stands out.
  std::string verdict(bool isGood, llvm::StringRef text) const {
    return wrap(isGood ? "1;32" : "1;31", text);
  }

private:
  std::string wrap(const char* code, llvm::StringRef text) const;
};

/// Escapes everything that must not reach a terminal as \x0a: control characters, such as a newline
/// in a file name, characters that change the direction of text, bytes that are not UTF-8.
std::string printable(llvm::StringRef text);
/// Escapes the same characters in a valid JSON document, which may be printed to a terminal, too:
/// \u009b. That changes none of its strings.
std::string printableJson(std::string document);

/// The width of a small terminal. Longer paths, names and commands are not broken.
constexpr size_t kColumns = 80;

/// Wraps words at kColumns and indents the lines after the first, which begins at `column`.
std::string wrapped(llvm::StringRef text, size_t indent, size_t column);

std::string renderImage(llvm::StringRef path, const Image& image, const Paint& paint);
/// The symbols that dependencies lack; a field of the view of an image.
std::string renderMissing(llvm::ArrayRef<resolve::MissingSymbols> missing);

struct VerifiedFile {
  std::string path;
  formats::SignatureVerdict verdict;
  std::optional<Problem> problem; ///< why it could not be checked
};
std::string renderVerified(const VerifiedFile& file, const Paint& paint);

/// One paragraph for each file that changed, one line for each other file, one line of summary.
std::string renderEdits(const apply::EditRun& run, const Paint& paint);

/// What the report about a target needs in addition to the outcome.
struct AppliedView {
  std::string package;      ///< its name; empty if there are several, or it is not known
  std::string doctor;       ///< the command that explains why it does not load
  std::vector<int> missing; ///< required FFmpeg majors that do not load
  bool isVerbose = false;   ///< list each library with its changes
};

/// The number of changed libraries; each change with its reason and its number of libraries;
/// whether the package loads now; the next step: a smoke test, or doctor.
std::string renderApplied(const apply::TargetOutcome& target, const AppliedView& view,
                          const Paint& paint);

/// What was changed in a wheel, and where the new one is. With `isVerbose`, each library's changes.
std::string renderWheel(const wheel::WheelOutcome& wheel, bool isVerbose, const Paint& paint);

/// The output of a dry run: a unified diff of what `inspect` prints before and after; with
/// `withBytes`, also each patch with its offset and meaning.
std::string renderDiff(llvm::ArrayRef<apply::FileOutcome> files, bool withBytes,
                       const Paint& paint);

/// How many libraries of a target or journal were restored; with `isVerbose`, which ones.
std::string renderUndo(llvm::StringRef target, const apply::UndoRun& run, bool isVerbose,
                       const Paint& paint);

} // namespace tcfix::report
