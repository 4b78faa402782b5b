// Editing files: plan in memory, stage beside, journal, commit by rename (commit/transaction.h).
//
// Files are independent of one another: one that fails is left untouched and the others go on.
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
  bool signWithCodesign = false; ///< let the system's codesign sign instead of us
  std::string journal;           ///< file that gets the way back; empty for none
};

struct EditRun {
  std::vector<FileOutcome> files;
  std::vector<Problem> problems; ///< about no single file, such as a journal that can't be written
};

/// Applies the request to every file. A file that is named twice is edited once.
EditRun editFiles(llvm::ArrayRef<std::string> paths, const formats::EditRequest& request,
                  const EditOptions& options, io::Notify notify);

} // namespace tcfix::apply
