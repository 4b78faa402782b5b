// The output for programs: one JSON document. Its names are stable.
#pragma once

#include "report/text.h"
#include "report/tree.h"
#include "wheel/repair.h"

namespace tcfix::report {

struct InspectedFile {
  std::string path;
  std::optional<Image> image;     ///< nothing if it could not be read
  std::optional<Problem> problem; ///< why it could not be read
  std::vector<resolve::MissingSymbols> missing;
  std::optional<resolve::Tree> tree; ///< with --tree
};

/// The fields that every document begins with.
struct Preamble {
  std::string command;
  bool isOk = true; ///< exactly when the exit code is 0
  std::vector<Problem> errors;
  std::vector<Problem> warnings;
};

std::string jsonForError(const Preamble& preamble);
std::string jsonForInspect(const Preamble& preamble, llvm::ArrayRef<InspectedFile> files,
                           bool withSymbols);
std::string jsonForEdit(const Preamble& preamble, const apply::EditRun& run);
std::string jsonForVerify(const Preamble& preamble, llvm::ArrayRef<VerifiedFile> files);
/// What was undone, with the target or journal as given.
using UndoneTarget = std::pair<std::string, apply::UndoRun>;
std::string jsonForUndo(const Preamble& preamble, llvm::ArrayRef<UndoneTarget> targets);
std::string jsonForApply(const Preamble& preamble, llvm::ArrayRef<apply::TargetOutcome> targets);
std::string jsonForWheel(const Preamble& preamble, llvm::ArrayRef<wheel::WheelOutcome> wheels);

} // namespace tcfix::report
