// The voice for people: plain text, at most 80 columns where we choose the words.
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

private:
  std::string wrap(const char* code, llvm::StringRef text) const;
};

/// The text with what must not reach a terminal written as \x0a: control characters such as a
/// newline in a file name, what turns the direction of text, bytes that are not UTF-8.
std::string printable(llvm::StringRef text);

/// The width of a small terminal. What is longer is a path, a name or a command, and stays whole.
constexpr size_t kColumns = 80;

/// Words on lines of at most kColumns, those after the first indented. The first line begins at
/// `column`.
std::string wrapped(llvm::StringRef text, size_t indent, size_t column);

std::string renderImage(llvm::StringRef path, const Image& image, const Paint& paint);
/// The symbols that are wanted of dependencies and not there; a field of the image's view.
std::string renderMissing(llvm::ArrayRef<resolve::MissingSymbols> missing);

struct VerifiedFile {
  std::string path;
  formats::SignatureVerdict verdict;
  std::optional<Problem> problem; ///< it could not be judged
};
std::string renderVerified(const VerifiedFile& file, const Paint& paint);

/// One paragraph for each file that changed, one line for the others, one of summary.
std::string renderEdits(const apply::EditRun& run, const Paint& paint);

/// What was done to a target, why, and how it loads now; then the next step: a smoke test, or
/// `doctor`, the command that explains why it does not. Libraries that changed alike share a line;
/// verbosely one for each library and change.
std::string renderApplied(const apply::TargetOutcome& target, const std::string& doctor,
                          bool isVerbose, const Paint& paint);

/// What was done to a wheel, and where the new one is. Verbosely one line for each change.
std::string renderWheel(const wheel::WheelOutcome& wheel, bool isVerbose, const Paint& paint);

/// What a dry run shows: a unified diff of what the reader sees before and after; with bytes, every
/// patch with its offset and meaning.
std::string renderDiff(llvm::ArrayRef<apply::FileOutcome> files, bool withBytes,
                       const Paint& paint);

/// How many libraries of a target, or of a journal, were restored; verbosely which.
std::string renderUndo(llvm::StringRef target, const apply::UndoRun& run, bool isVerbose,
                       const Paint& paint);

} // namespace tcfix::report
