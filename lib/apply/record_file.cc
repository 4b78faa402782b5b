#include "apply/record_file.h"

#include "env/record.h"
#include "io/digest.h"

namespace tcfix::apply {

llvm::Expected<Step> RecordWork::stage(const std::string& path) const {
  // The installer's own text gets the installer's own time.
  return Step::replace(*input, path, differenceOf(input->bytes(), bytesOf(wanted), "RECORD"),
                       entry ? std::nullopt : std::optional<int64_t>(modifiedNs));
}

llvm::Expected<RecordWork> planRecord(const JournalPlace& place, const Journal& journal,
                                      llvm::ArrayRef<RecordChange> changes, bool hasJournal) {
  RecordWork work;
  llvm::Expected<io::InputFile> input = io::InputFile::open(place.record);
  if (!input)
    return input.takeError();
  work.input = std::make_unique<io::InputFile>(std::move(*input));
  const std::string relative = relativeTo(place, place.record);
  const std::string journalRow = relativeTo(place, place.path);

  // The installer's text: through the journal if RECORD is as we left it, else what is there
  // without our row, since somebody else has written it anew.
  const std::string now = textOf(work.input->bytes()).str();
  std::string original = now;
  int64_t modifiedNs = work.input->stamp().modifiedNs;
  const std::string digest = io::sha256Hex(work.input->bytes());
  const JournalEntry* known = nullptr;
  for (const JournalEntry& entry : journal.entries)
    if (entry.path == relative && entry.sha256After == digest)
      known = &entry;
  if (known) {
    original = textOf(rewritten(known->reverse, work.input->bytes())).str();
    modifiedNs = known->modifiedNs;
  }
  llvm::Expected<env::Record> record = env::Record::parse(original);
  if (!record)
    return record.takeError();
  if (!known)
    record->remove(journalRow);
  original = record->text();

  for (const RecordChange& change : changes)
    if (record->find(change.path))
      record->set(change.path, env::recordDigest(change.sha256), change.size);
  // Without a digest, as the installer does for RECORD itself: it changes with every run.
  if (hasJournal)
    record->set(journalRow, "", std::nullopt);
  work.wanted = record->text();
  work.modifiedNs = modifiedNs;
  if (work.wanted != original)
    work.entry = {relative,
                  io::sha256Hex(bytesOf(original)),
                  io::sha256Hex(bytesOf(work.wanted)),
                  modifiedNs,
                  differenceOf(bytesOf(work.wanted), bytesOf(original), "undo"),
                  io::system::readLink(place.record).value_or(""),
                  std::nullopt};
  return work;
}

} // namespace tcfix::apply
