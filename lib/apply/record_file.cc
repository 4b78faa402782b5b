#include "apply/record_file.h"

#include "base/paths.h"
#include "env/conda_record.h"
#include "env/record.h"
#include "io/digest.h"

#include <llvm/Support/Path.h>

namespace tcfix::apply {

namespace {

/// `forget` removes the journal from a list that another program has rewritten since; `follow`
/// updates the installer's list.
template <typename List>
llvm::Expected<RecordWork> planList(const std::string& path, const RecordRequest& request,
                                    llvm::function_ref<void(List&)> forget,
                                    llvm::function_ref<void(List&)> follow) {
  RecordWork work;
  work.path = path;
  llvm::Expected<io::InputFile> input = request.disk.openText(path);
  if (!input)
    return input.takeError();
  work.input = std::make_unique<io::InputFile>(std::move(*input));
  const std::string relative = relativeTo(request.place, path);

  // The installer's list: reconstructed from the journal if tcfix wrote the current one.
  std::string original = textOf(work.input->bytes()).str();
  work.modifiedNs = work.input->stamp().modifiedNs;
  const std::string digest = io::sha256Hex(work.input->bytes());
  const JournalEntry* known = nullptr;
  for (const JournalEntry& entry : request.journal.entries)
    if (entry.path == relative && entry.sha256After == digest)
      known = &entry;
  if (known && known->reverse.oldSize != work.input->bytes().size())
    return fail(ErrorCode::Malformed, "size differs from the size in the journal");
  if (known) {
    original = textOf(rewritten(known->reverse, work.input->bytes())).str();
    work.modifiedNs = known->modifiedNs;
    work.link = known->link;
  } else {
    work.link = io::system::readLink(path).value_or("");
  }
  llvm::Expected<List> list = List::parse(original);
  if (!list)
    return list.takeError();
  if (!known)
    forget(*list);
  original = list->text();
  follow(*list);
  work.wanted = list->text();
  if (work.wanted != original)
    work.entry = {relative,
                  io::sha256Hex(bytesOf(original)),
                  io::sha256Hex(bytesOf(work.wanted)),
                  work.modifiedNs,
                  differenceOf(bytesOf(work.wanted), bytesOf(original), "undo"),
                  work.link,
                  std::nullopt};
  return work;
}

} // namespace

llvm::Expected<commit::Step> RecordWork::stage(const commit::Locks& locks,
                                               const io::TargetDisk& disk) const {
  llvm::Expected<io::Place> place = locks.place(path);
  if (!place)
    return place.takeError();
  if (!entry && leadsTo(path, link, bytesOf(wanted), disk))
    return commit::Step::link(*input, std::move(*place), link);
  // The installer's text gets the installer's modification time.
  return commit::Step::replace(*input, std::move(*place),
                               differenceOf(input->bytes(), bytesOf(wanted), "list"),
                               entry ? std::nullopt : std::optional<int64_t>(modifiedNs));
}

llvm::Expected<RecordWork> planRecord(const RecordRequest& request) {
  const std::string journal = relativeTo(request.place, request.place.path);
  return planList<env::Record>(
      request.place.record, request, [&](env::Record& record) { record.remove(journal); },
      [&](env::Record& record) {
        for (const RecordChange& change : request.changes)
          if (record.find(change.path))
            record.set(change.path, env::recordDigest(change.sha256), change.size);
        // Without a digest, as installers list RECORD itself: it changes with every run.
        if (request.hasJournal)
          record.set(journal, "", std::nullopt);
      });
}

llvm::Expected<RecordWork> planCondaMeta(const RecordRequest& request) {
  namespace path = llvm::sys::path;
  // Its paths are relative to the directory that contains conda-meta.
  const std::string prefix = path::parent_path(path::parent_path(request.place.condaMeta)).str();
  const std::string site = relativePath(prefix, request.place.base) + "/";
  const std::string journal = relativePath(prefix, request.place.path);
  return planList<env::CondaRecord>(
      request.place.condaMeta, request, [&](env::CondaRecord& list) { list.remove(journal); },
      [&](env::CondaRecord& list) {
        for (const RecordChange& change : request.changes)
          list.set(site + change.path, change.sha256, change.size);
        if (request.hasJournal)
          list.add(journal);
      });
}

} // namespace tcfix::apply
