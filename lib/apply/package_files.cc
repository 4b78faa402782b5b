#include "apply/package_files.h"

#include "base/paths.h"
#include "env/distribution.h"
#include "io/digest.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::apply {

namespace path = llvm::sys::path;

namespace {
constexpr llvm::StringLiteral kListedName = "tcfix-journal.json";
constexpr llvm::StringLiteral kFileName = "journal.json";

/// How far above a library the folder of its package may be.
constexpr int kMostLevels = 4;
} // namespace

JournalPlace journalOf(const env::Package& package) {
  if (!package.distInfo.empty()) {
    std::string folder = package.libraries.empty()
                             ? package.site + "/" + env::moduleName(package.name)
                             : path::parent_path(package.libraries.front()).str();
    std::string stray = folder + "/" + kJournalFolder.str() + "/" + kFileName.str();
    return {package.distInfo + "/" + kListedName.str(),
            package.site,
            package.distInfo + "/RECORD",
            package.condaMeta,
            relativePath(package.site, folder),
            io::exists(stray) ? stray : ""};
  }
  auto in = [](llvm::StringRef folder) -> JournalPlace {
    return {(folder + "/" + kJournalFolder + "/" + kFileName).str(), folder.str(), {}, {}, {}, {}};
  };
  // A folder around it may have been repaired as a whole before.
  llvm::StringRef above = package.home;
  for (int level = 0; level < kMostLevels && !above.empty(); ++level)
    if (JournalPlace place = in(above); io::exists(place.path))
      return place;
    else
      above = path::parent_path(above);
  return in(package.home);
}

commit::Bounds boundsOf(const JournalPlace& place, const env::Environment& environment,
                        const io::TargetDisk& disk) {
  commit::Bounds bounds{{}, disk};
  auto add = [&](const std::string& directory) {
    if (std::optional<std::string> real = disk.realPath(directory))
      bounds.roots.push_back(std::move(*real));
  };
  bool isLoneFile =
      environment.kind == env::EnvironmentKind::File && environment.whole == environment.root;
  add(isLoneFile ? path::parent_path(environment.root).str() : environment.whole);
  for (const env::Site& site : environment.sites)
    if (site.kind != env::SiteKind::Own)
      add(site.folder);
  if (place.record.empty())
    add(place.base);
  return bounds;
}

std::string relativeTo(const JournalPlace& place, const std::string& file) {
  return file.empty() ? file : relativePath(place.base, file);
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

llvm::Error findHistory(LibraryWork& work, const Journal& journal, const std::string& relative) {
  std::string now;
  bool isNamed = false;
  for (const JournalEntry& entry : journal.entries)
    if (entry.path == relative && entry.reverse.oldSize == work.input->bytes().size()) {
      isNamed = true;
      if (entry.plan && entry.plan->stamp == work.input->stamp())
        now = entry.sha256After; // the stamp spares the hash of a file that nobody touched
    }
  if (!isNamed)
    return llvm::Error::success();
  if (now.empty())
    if (llvm::Error error = io::sha256Of(work.input->bytes()).moveInto(now))
      return error;
  work.history = commit::historyOf(journal, relative, now);
  // Hashes are what a journal claims; sizes that contradict them, or that no edit makes of this
  // file, lead nowhere.
  uint64_t size = work.input->bytes().size(), most = 4 * size;
  for (const JournalEntry& entry : work.history)
    for (const BytePatch& patch : entry.reverse.patches)
      most += patch.after.size();
  for (const JournalEntry& entry : llvm::reverse(work.history)) {
    if (entry.reverse.oldSize != size || entry.reverse.newSize > most) {
      work.history.clear();
      break;
    }
    size = entry.reverse.newSize;
  }
  return llvm::Error::success();
}

llvm::Expected<bool> isOriginal(const LibraryWork& work, const Journal& journal,
                                const std::string& relative) {
  std::set<std::string> digests; // of originals that have its size
  for (const JournalEntry& entry : journal.entries)
    if (entry.path == relative && entry.reverse.newSize == work.input->bytes().size())
      digests.insert(entry.sha256Before);
  if (digests.empty())
    return false;
  llvm::Expected<std::string> now = io::sha256Of(work.input->bytes());
  if (!now)
    return now.takeError();
  return digests.count(*now) > 0;
}

llvm::Expected<std::vector<JournalEntry>>
keptEntries(const LibraryWork& work, const Journal& journal, const std::string& relative) {
  if (!work.history.empty())
    return work.history;
  llvm::Expected<bool> isAsInstalled = isOriginal(work, journal, relative);
  if (!isAsInstalled)
    return isAsInstalled.takeError();
  std::vector<JournalEntry> kept;
  if (!*isAsInstalled)
    llvm::copy_if(journal.entries, std::back_inserter(kept),
                  [&](const JournalEntry& entry) { return entry.path == relative; });
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

bool leadsTo(const std::string& file, const std::string& link, Bytes bytes,
             const io::TargetDisk& disk) {
  if (link.empty())
    return false;
  llvm::SmallString<256> place(path::parent_path(file));
  if (path::is_absolute(link))
    place = disk.hostPath(link).value_or(link);
  else
    path::append(place, link);
  std::optional<io::InputFile> target = llvm::expectedToOptional(disk.open(place));
  return target && target->bytes() == bytes;
}

} // namespace tcfix::apply
