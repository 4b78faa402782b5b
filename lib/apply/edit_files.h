// Edits files: plan in memory, stage beside the old file, journal, commit by rename
// (commit/transaction.h).
//
// Files are independent of each other: a file that fails is left unchanged, and the others are
// edited.
#pragma once

#include "commit/outcome.h"
#include "formats/formats.h"
#include "io/system.h"

namespace tcfix::apply {

using commit::countFiles;
using commit::FileCounts;
using commit::FileOutcome;
using commit::FileStatus;

struct EditOptions {
  bool isDryRun = false;
  bool withHashes = false;
  bool signWithCodesign = false; ///< sign with the system's codesign
  std::string journal;           ///< where to write the undo journal; empty: none
};

struct EditRun {
  std::vector<FileOutcome> files;
  std::vector<Problem> problems; ///< not about one file, such as a journal that cannot be written
};

/// Applies the request to every file. A file that is given twice is edited once.
EditRun editFiles(llvm::ArrayRef<std::string> paths, const formats::EditRequest& request,
                  const EditOptions& options, io::Notify notify);

} // namespace tcfix::apply
