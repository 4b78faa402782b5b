// The lists of a package's files, RECORD and conda's, follow what apply does, and list the journal,
// so that whoever removes the package removes it, too.
#pragma once

#include "apply/package_files.h"
#include "commit/transaction.h"

namespace tcfix::apply {

/// A file as its list shall describe it.
struct RecordChange {
  std::string path; ///< relative to the site
  std::string sha256;
  uint64_t size = 0;
};

/// A list on its way: as it is, as it was, as it shall be.
struct RecordWork {
  std::string path;
  std::unique_ptr<io::InputFile> input;
  std::optional<JournalEntry> entry; ///< the way back to the installer's; none if unchanged
  std::string wanted;
  int64_t modifiedNs = 0; ///< of the installer's
  std::string link;       ///< what the installer's said, if it was a symbolic link

  bool isChanged() const { return input && textOf(input->bytes()) != wanted; }
  llvm::Expected<commit::Step> stage(const commit::Locks& locks, const io::TargetDisk& disk) const;
};

/// What all of a list depends on.
struct RecordRequest {
  const JournalPlace& place;
  const Journal& journal;
  const io::TargetDisk& disk;
  std::vector<RecordChange> changes; ///< all files that differ from what the installer put there
  bool hasJournal = false;           ///< then it is listed
};

/// Plan a list anew from what the installer wrote. Malformed ones are an error, and stay as they
/// are.
llvm::Expected<RecordWork> planRecord(const RecordRequest& request);
llvm::Expected<RecordWork> planCondaMeta(const RecordRequest& request);

} // namespace tcfix::apply
