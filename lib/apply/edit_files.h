// Editing files: plan in memory, stage beside, journal, commit by rename.
//
// Files are independent of one another: one that fails is left untouched and the others go on.
#pragma once

#include "base/error.h"
#include "formats/formats.h"
#include "io/system.h"

namespace tcfix::apply {

enum class FileStatus { Changed, WouldChange, Unchanged, Skipped, Failed };

/// The status's name in JSON, such as "would_change".
llvm::StringRef nameOf(FileStatus status);

struct FileOutcome {
  std::string path; ///< as it was given
  FileStatus status = FileStatus::Unchanged;
  EditOutcome edit;
  std::optional<Problem> problem; ///< why it failed
  std::string sha256Before;       ///< only when hashes were asked for
  std::string sha256After;
  std::optional<Image> before; ///< only in a dry run that would change something
  std::optional<Image> after;
};

/// How many files came to what; those that would change count as changed.
struct FileCounts {
  size_t changed = 0, unchanged = 0, skipped = 0, failed = 0;
};
FileCounts countFiles(llvm::ArrayRef<FileOutcome> files);

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
