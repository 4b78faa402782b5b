// Keeps the lists of a package's files, RECORD and conda's, in step with apply. They also list the
// journal, so that it is removed with the package.
#pragma once

#include "apply/package_files.h"
#include "commit/transaction.h"

namespace tcfix::apply {

/// A file as its list must describe it.
struct RecordChange {
  std::string path; ///< relative to the site
  std::string sha256;
  uint64_t size = 0;
};

/// A list: its current, original and planned content.
struct RecordWork {
  std::string path;
  std::unique_ptr<io::InputFile> input;
  std::optional<JournalEntry> entry; ///< restores the installer's list; none if unchanged
  std::string wanted;
  int64_t modifiedNs = 0; ///< of the installer's list
  std::string link;       ///< its target, if the installer's list was a symbolic link

  bool isChanged() const { return input && textOf(input->bytes()) != wanted; }
  llvm::Expected<commit::Step> stage(const commit::Locks& locks, const io::TargetDisk& disk) const;
};

/// Everything that a list depends on.
struct RecordRequest {
  const JournalPlace& place;
  const Journal& journal;
  const io::TargetDisk& disk;
  std::vector<RecordChange> changes; ///< all files that differ from the installer's
  bool hasJournal = false;           ///< the list must contain it
};

/// Plan a list from what the installer wrote. A malformed list is an error and is not changed.
llvm::Expected<RecordWork> planRecord(const RecordRequest& request);
llvm::Expected<RecordWork> planCondaMeta(const RecordRequest& request);

} // namespace tcfix::apply
