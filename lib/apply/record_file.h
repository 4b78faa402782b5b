// RECORD follows what apply does, and lists the journal, so that pip removes it with the package.
#pragma once

#include "apply/package_files.h"
#include "apply/transaction.h"

namespace tcfix::apply {

/// A file's row as it shall be.
struct RecordChange {
  std::string path; ///< relative to the site
  std::string sha256;
  uint64_t size = 0;
};

/// RECORD on its way: as it is, as it was, as it shall be.
struct RecordWork {
  std::unique_ptr<io::InputFile> input;
  std::optional<JournalEntry> entry; ///< the way back to the installer's RECORD; none if unchanged
  std::string wanted;
  int64_t modifiedNs = 0; ///< of the installer's

  bool isChanged() const { return input && textOf(input->bytes()) != wanted; }
  llvm::Expected<Step> stage(const std::string& path) const;
};

/// Plans RECORD anew from what the installer wrote: `changes` are all files that differ from it.
/// The journal is listed if there is one. Malformed RECORDs are an error, and stay as they are.
llvm::Expected<RecordWork> planRecord(const JournalPlace& place, const Journal& journal,
                                      llvm::ArrayRef<RecordChange> changes, bool hasJournal);

} // namespace tcfix::apply
