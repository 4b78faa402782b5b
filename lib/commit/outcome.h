// What became of a file: the result that every command which changes libraries reports.
#pragma once

#include "base/error.h"
#include "image/outcome.h"

#include <optional>

namespace tcfix::commit {

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

  /// Nothing of the edit was done; the file is as it was.
  void fail(Problem problem);
  void leaveUnchanged();
};

/// What describeRewrite() looks at, beyond the status.
struct OutcomeDetail {
  bool isWriting = true; ///< false: a dry run
  bool withHashes = false;
  bool withImages = false; ///< of both states, if they differ
};

/// Fills in status, hashes and images from the outcome's rewrite of `bytes`.
llvm::Error describeRewrite(FileOutcome& outcome, Bytes bytes, const OutcomeDetail& detail);

/// How many files came to what; those that would change count as changed.
struct FileCounts {
  size_t changed = 0, unchanged = 0, skipped = 0, failed = 0;
};
FileCounts countFiles(llvm::ArrayRef<FileOutcome> files);

} // namespace tcfix::commit
