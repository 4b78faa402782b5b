// The outcome for one file, as reported by every command that changes libraries.
#pragma once

#include "base/error.h"
#include "image/outcome.h"

#include <optional>

namespace tcfix::commit {

enum class FileStatus { Changed, WouldChange, Unchanged, Skipped, Failed };

/// The status's name in JSON, such as "would_change".
llvm::StringRef nameOf(FileStatus status);

struct FileOutcome {
  std::string path;   ///< as given by the caller
  bool isNew = false; ///< in a wheel: it was added to it
  FileStatus status = FileStatus::Unchanged;
  EditOutcome edit;
  std::optional<Problem> problem; ///< why it failed
  std::string sha256Before;       ///< only if hashes were requested
  std::string sha256After;
  std::optional<Image> before; ///< only in a dry run that would change something
  std::optional<Image> after;

  /// Marks the file as failed: no part of the edit was made.
  void fail(Problem problem);
  void leaveUnchanged();
};

/// What describeRewrite() fills in, besides the status.
struct OutcomeDetail {
  bool isWriting = true; ///< false: a dry run
  bool withHashes = false;
  bool isHashedLater = false; ///< the caller hashes the new file itself, once it is on the disk
  bool withImages = false;    ///< of both states, if they differ
};

/// Fills in status, hashes and images from the outcome's rewrite of `bytes`.
llvm::Error describeRewrite(FileOutcome& outcome, Bytes bytes, const OutcomeDetail& detail);

/// The number of files by status; those that would change count as changed.
struct FileCounts {
  size_t changed = 0, unchanged = 0, skipped = 0, failed = 0;
};
FileCounts countFiles(llvm::ArrayRef<FileOutcome> files);

} // namespace tcfix::commit
