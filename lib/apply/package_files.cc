#include "apply/package_files.h"

#include "base/paths.h"
#include "io/digest.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::apply {

namespace path = llvm::sys::path;

namespace {
constexpr llvm::StringLiteral kListedName = "tcfix-journal.json";
constexpr llvm::StringLiteral kFolderName = ".tcfix/journal.json";

/// A bare folder's libraries lie at most three levels below it.
constexpr int kMostLevels = 4;
} // namespace

JournalPlace journalOf(const env::Package& package, const env::Environment& environment) {
  if (!package.distInfo.empty()) {
    std::string record = package.distInfo + "/RECORD";
    return {package.distInfo + "/" + kListedName.str(), package.site,
            io::exists(record) ? record : "", package.condaMeta};
  }
  std::string base = environment.kind == env::EnvironmentKind::Folder ? environment.root
                     : package.libraries.empty()
                         ? package.site
                         : path::parent_path(package.libraries.front()).str();
  // A folder around it may have been repaired as a whole before.
  llvm::StringRef above = base;
  for (int level = 0; level < kMostLevels && !above.empty(); ++level)
    if (io::exists(above + "/" + kFolderName))
      return {(above + "/" + kFolderName).str(), above.str(), {}, {}};
    else
      above = path::parent_path(above);
  return {base + "/" + kFolderName.str(), base, {}, {}};
}

std::string relativeTo(const JournalPlace& place, const std::string& file) {
  return file.empty() ? file : relativePath(place.base, file);
}

void LibraryWork::fail(Problem problem) {
  outcome.status = FileStatus::Failed;
  outcome.problem = std::move(problem);
  outcome.edit = {}; // nothing of it was done
  outcome.sha256After = outcome.sha256Before;
}

Bytes LibraryWork::base() {
  if (replacement)
    return replacement->bytes();
  if (!edits())
    return input->bytes();
  if (madeBase.empty())
    madeBase = rewritten(edits()->reverse, input->bytes());
  return madeBase;
}

void findHistory(LibraryWork& work, const Journal& journal, const std::string& relative) {
  std::vector<const JournalEntry*> own;
  for (const JournalEntry& entry : journal.entries)
    if (entry.path == relative)
      own.push_back(&entry);
  if (own.empty())
    return;
  // The stamp spares the hash of a file that nobody touched.
  std::string now;
  for (const JournalEntry* entry : llvm::reverse(own)) {
    bool isPresent = entry->plan && entry->plan->stamp == work.input->stamp();
    if (!isPresent && now.empty())
      now = io::sha256Hex(work.input->bytes());
    if (!isPresent && entry->sha256After != now)
      continue;
    for (const JournalEntry* earlier : own)
      if (entry->plan && !earlier->plan && earlier->sha256After == entry->sha256Before)
        work.history.push_back(*earlier);
    work.history.push_back(*entry);
    return;
  }
}

bool isOriginal(const LibraryWork& work, const Journal& journal, const std::string& relative) {
  const std::string now = io::sha256Hex(work.input->bytes());
  return llvm::any_of(journal.entries, [&](const JournalEntry& entry) {
    return entry.path == relative && entry.sha256Before == now;
  });
}

std::vector<JournalEntry> keptEntries(const LibraryWork& work, const Journal& journal,
                                      const std::string& relative) {
  if (!work.history.empty())
    return work.history;
  std::vector<JournalEntry> kept;
  for (const JournalEntry& entry : journal.entries)
    if (entry.path == relative)
      kept.push_back(entry);
  if (!kept.empty() && isOriginal(work, journal, relative))
    kept.clear();
  return kept;
}

OriginalFile originalOf(const LibraryWork& work) {
  OriginalFile original;
  original.bytes = work.input->bytes();
  original.modifiedNs = work.input->stamp().modifiedNs;
  for (const JournalEntry& entry : llvm::reverse(work.history)) {
    original.made = rewritten(entry.reverse, original.bytes);
    original.bytes = original.made;
    original.modifiedNs = entry.modifiedNs;
    original.link = entry.link;
  }
  if (work.history.empty())
    original.link = io::system::readLink(work.path).value_or("");
  return original;
}

} // namespace tcfix::apply
